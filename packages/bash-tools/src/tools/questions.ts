import { oneLine, printableCode } from '@mustard-sandbox/protocol';
import { SandboxError } from '@mustard-sandbox/client';
import { whyItRuns } from '@mustard-sandbox/paths';
import type { ConsentFileAccess, ConsentRequest } from '@mustard-sandbox/agent-tool';
import { whyGitRuns } from '../approval/environment.ts';
import { wordsOf } from '../approval/parse.ts';
import { actionFor, type Approval, type ApprovalAction } from '../approval/rules.ts';
import type { Workspace } from '../workspaces/workspace.ts';

/** What becomes of one call of a tool. */
export interface Judged {
  action: ApprovalAction;
  /** What a person is asked, where it is asked about. */
  request: ConsentRequest;
  /** Why it is denied, where it is. */
  denial: string;
  /** Of a command: a rule allows it, and nobody is asked. */
  byRule?: boolean;
  /** The path of the file that would be written, with links resolved. */
  path?: string;
}

/** Decides for each call of the three tools whether it is made, asked about or refused: one policy for all of them. */
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

  /** In a copy nobody is asked: what is in there is for the model. */
  async read(path: string): Promise<Judged> {
    const { isUsersFolder, folder } = this.#workspace;
    const action = isUsersFolder ? this.#approval.otherwise : 'allow';
    return judged(action, { action: 'read', path: withoutFolder(path, folder) });
  }

  /**
   * What runs by itself is asked about in a folder of the user's, whatever is allowed; in a copy only where commands are
   * asked about: elsewhere it gives a model nothing that it does not have.
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

  /** Why a rule for the words of a command does not say what it would run; `undefined` where it does. */
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
