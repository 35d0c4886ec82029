import { oneLine, printableCode } from '@mustard-sandbox/protocol';
import { SandboxError } from '@mustard-sandbox/client';
import { whyItRuns } from '@mustard-sandbox/paths';
import type { ConsentFileAccess, ConsentRequest } from '@mustard-sandbox/agent-tool';
import { whyGitRuns } from '../approval/environment.ts';
import { wordsOf } from '../approval/parse.ts';
import { actionFor, type Approval, type ApprovalAction } from '../approval/rules.ts';
import type { Workspace } from '../workspaces/workspace.ts';

/** The decision about one call of a tool. */
export interface Judged {
  action: ApprovalAction;
  /** The question for a person, if one is asked. */
  request: ConsentRequest;
  /** Why the call is denied, if it is. */
  denial: string;
  /** For a command: a rule allows it, so nobody is asked. */
  byRule?: boolean;
  /** The path of the file that would be written, after all links are resolved. */
  path?: string;
}

/** Decides whether each call of the three tools is made, asked about or refused, by one policy for all of them. */
export class Questions {
  readonly #workspace: Workspace;
  readonly #approval: Approval;

  constructor(workspace: Workspace, approval: Approval) {
    this.#workspace = workspace;
    this.#approval = approval;
  }

  async command(command: string): Promise<Judged> {
    const action = actionFor(this.#approval, command);
    const why = action === 'allow' && this.#approval.otherwise !== 'allow' ? this.#whyNotPlain(command) : undefined;
    const note = why === undefined ? '' : `\n\nYou are asked because ${oneLine(why)}.`;
    return {
      action: why === undefined ? action : this.#approval.otherwise,
      byRule: action === 'allow' && why === undefined && this.#approval.otherwise !== 'allow',
      denial: why === undefined ? 'a rule of the user denies this command' : `no rule of the user allows this: ${why}`,
      request: { script: command, command, preview: `$ ${printableCode(command)}${note}`, files: [] },
    };
  }

  /** In a copy nobody is asked, because its files are for the model. */
  async read(path: string): Promise<Judged> {
    const { isUsersFolder, folder } = this.#workspace;
    const action = isUsersFolder ? this.#approval.otherwise : 'allow';
    return judged(action, { action: 'read', path: withoutFolder(path, folder) });
  }

  /**
   * In a folder of the user, a file that runs by itself always needs a question, whatever is allowed. In a copy it
   * needs one only where commands are asked about, because otherwise it gives the model nothing new.
   */
  async write(path: string, content: string): Promise<Judged> {
    const { isUsersFolder } = this.#workspace;
    const { otherwise } = this.#approval;
    const real = await this.#workspace.whereIs(path);
    const why = whyItRuns(real, content, await this.#contentOf(real));
    const file: ConsentFileAccess = { action: 'write', path: real, content, ...(why !== undefined && { why }) };
    if (why === undefined) return judged(isUsersFolder ? otherwise : 'allow', file);
    return judged(isUsersFolder && otherwise === 'allow' ? 'ask' : otherwise, file);
  }

  /** Why a rule for the words of a command does not show what it would run; `undefined` when it does. */
  #whyNotPlain(command: string): string | undefined {
    const { hostFolder, hostHome, whyNotHeld } = this.#workspace;
    if (whyNotHeld !== undefined) return whyNotHeld;
    const hasGit = wordsOf(command).some((word) => word === 'git' || word.endsWith('/git'));
    if (!hasGit || hostFolder === undefined || hostHome === undefined) return undefined;
    return whyGitRuns(hostFolder, hostHome);
  }

  /** Reads `package.json`, the only file whose change is judged by its old content. */
  async #contentOf(path: string): Promise<string | undefined> {
    if (!/(?:^|\/)package\.json$/i.test(path)) return undefined;
    try {
      return await this.#workspace.readFile(path);
    } catch (error) {
      if (error instanceof SandboxError) return undefined;
      throw error;
    }
  }
}

function judged(action: ApprovalAction, file: ConsentFileAccess): Judged {
  const { path, content = '', why } = file;
  const verb = file.action === 'read' ? 'Read' : 'Write';
  const parts = [`${verb} ${oneLine(printableCode(path))}`];
  if (why !== undefined) parts.push(`You are asked because ${oneLine(why)}.`);
  if (file.action === 'write') parts.push(printableCode(content));
  return {
    action,
    denial: `the settings of the user let no tool ${file.action} ${why === undefined ? 'files here' : `this file, because ${why}`}`,
    request: { script: `${verb} ${JSON.stringify(path)}\n${content}`, preview: parts.join('\n\n'), files: [], file },
    path,
  };
}

function withoutFolder(path: string, folder: string): string {
  return path.startsWith(`${folder}/`) ? path.slice(folder.length + 1) : path;
}
