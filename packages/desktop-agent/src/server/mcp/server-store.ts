import { readFile } from 'node:fs/promises';
import { isAbsolute, join } from 'node:path';
import type { Rule } from '@mustard-sandbox/code-mode';
import { problemOfFunctionNames } from '@mustard-sandbox/protocol';
import { z } from 'zod';
import { AgentError, type ServerDraft, type ToolAction } from '../../shared/contract/index.ts';
import { writePrivate } from '../private-files.ts';

/** One server of `mcpServers`, as it is in the file. */
export type StoredServer = Readonly<Record<string, unknown>>;

const fileSchema = z.looseObject({
  mcpServers: z.record(z.string(), z.looseObject({})).default({}),
  policy: z.array(z.looseObject({ tool: z.string(), action: z.enum(['allow', 'ask', 'deny']) })).default([]),
});
type ServersFile = z.output<typeof fileSchema>;

/**
 * The MCP servers of the person, in `servers.json` of the data folder. Only this user may read the file. Its format is that
 * of the gateway and of other hosts. Servers are never read from a folder that a person works on, because a cloned repository
 * must not start a program.
 */
export class ServerStore {
  readonly #file: string;
  #policy: readonly Rule[] = [];
  #updated: Promise<unknown> = Promise.resolve();

  constructor(dataDir: string) {
    this.#file = join(dataDir, 'servers.json');
  }

  /** The rules as they were last read or written. They are looked up at each call. */
  policy(): readonly Rule[] {
    return this.#policy;
  }

  /** @throws {AgentError} `changed` for a file that cannot be parsed, so that its content is not overwritten */
  async list(): Promise<[name: string, server: StoredServer][]> {
    return Object.entries((await this.#read()).mcpServers);
  }

  /** What the person chose for a tool; `null` without a rule about this tool alone. */
  actionOf(tool: string): ToolAction | null {
    return this.#policy.find((rule) => isAbout(rule, tool))?.action ?? null;
  }

  /**
   * @param was the name of the server that is replaced
   * @returns `isOther` when it is another program or address, for which what was allowed of the tools does not hold
   * @throws {AgentError} `invalid_request`, `not_found`
   */
  async save(name: string, was: string | null, draft: ServerDraft): Promise<{ isOther: boolean }> {
    const problem = problemOf(draft) ?? problemOfFunctionNames([`${namespaceOf(name)}.x`])?.problem;
    if (problem !== undefined) throw new AgentError('invalid_request', problem);
    return await this.#change((file) => {
      const before = was === null ? undefined : own(file.mcpServers, was);
      if (was !== null && before === undefined)
        throw new AgentError('not_found', `The server ${was} no longer exists.`);
      const others = Object.entries(file.mcpServers).filter(([other]) => other !== was);
      if (others.some(([other]) => namespaceOf(other) === namespaceOf(name))) {
        throw new AgentError('invalid_request', `There is already a server called ${name}. Choose another name.`);
      }
      const server = { ...extrasOf(before), ...storedOf(draft, before) };
      const all = Object.entries(file.mcpServers);
      const entries =
        was === null
          ? [...all, [name, server] as const]
          : all.map((one) => (one[0] === was ? ([name, server] as const) : one));
      const isOther = was === null || was !== name || targetOf(before) !== targetOf(server);
      const policy = isOther ? withoutServer(file.policy, [was ?? name, name]) : file.policy;
      return [{ ...file, mcpServers: Object.fromEntries(entries) as ServersFile['mcpServers'], policy }, { isOther }];
    });
  }

  /** @throws {AgentError} `not_found` */
  async remove(name: string): Promise<void> {
    await this.#change((file) => {
      if (own(file.mcpServers, name) === undefined)
        throw new AgentError('not_found', `The server ${name} no longer exists.`);
      const { [name]: _, ...left } = file.mcpServers;
      // Another server that later gets this name must not inherit the rules.
      return [{ ...file, mcpServers: left, policy: withoutServer(file.policy, [name]) }, undefined];
    });
  }

  /** Sets the person's choice for a tool, which comes before all other rules. */
  async setAction(tool: string, action: ToolAction | null): Promise<void> {
    await this.#change((file) => {
      const others = file.policy.filter((rule) => !isAbout(rule as Rule, tool));
      return [{ ...file, policy: action === null ? others : [{ tool, action }, ...others] }, undefined];
    });
  }

  /** Makes the changes one after the other. Otherwise each of two could overwrite what the other has changed. */
  async #change<T>(change: (file: ServersFile) => [ServersFile, T]): Promise<T> {
    const changed = this.#updated.then(async () => {
      const [file, result] = change(await this.#read());
      await writePrivate(this.#file, `${JSON.stringify(file, undefined, 2)}\n`);
      this.#policy = file.policy;
      return result;
    });
    this.#updated = changed.catch(() => {});
    return await changed;
  }

  async #read(): Promise<ServersFile> {
    const text = await readFile(this.#file, 'utf8').catch((error: unknown) => {
      if ((error as { code?: unknown }).code === 'ENOENT') return '{}';
      throw error;
    });
    try {
      const file = fileSchema.parse(JSON.parse(text));
      this.#policy = file.policy;
      return file;
    } catch {
      throw new AgentError(
        'changed',
        `${this.#file} is not a valid file of servers. Correct it, or remove it and add the servers again.`,
      );
    }
  }
}

/** Reads an own property, because a name such as `__proto__` would be found on every object. */
function own<T>(from: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(from, name) ? from[name] : undefined;
}

/** The server's name in scripts. Servers that the page adds have no other characters that would need replacing. */
export function namespaceOf(name: string): string {
  return name.replaceAll(/[^A-Za-z0-9_$]/g, '_');
}

function problemOf(draft: ServerDraft): string | undefined {
  if (draft.kind === 'stdio') {
    const { command } = draft;
    // A relative path could lead to a program in the folder where the agent was started, which may be a stranger's.
    const isElsewhere = !/[/\\]/.test(command) || isAbsolute(command);
    return isElsewhere ? undefined : 'Give the command as the name of a program, or as its whole path.';
  }
  let url: URL;
  try {
    url = new URL(draft.url);
  } catch {
    return 'This is not an address. An address begins with https:// or http://.';
  }
  if (!/^https?:$/.test(url.protocol)) return 'The address must begin with https:// or http://.';
  // A password in the address would be shown with it.
  return url.username + url.password === '' ? undefined : 'Put the password into a header: an address is shown.';
}

/** The fields that the page does not know, such as `cwd` or `timeoutMs`. */
function extrasOf(before: StoredServer = {}): StoredServer {
  const known = ['type', 'command', 'args', 'env', 'url', 'headers', 'trustHints', 'disabled'];
  return Object.fromEntries(Object.entries(before).filter(([key]) => !known.includes(key)));
}

function storedOf(draft: ServerDraft, before: StoredServer | undefined): StoredServer {
  const { trustHints, enabled } = draft;
  const shared = { trustHints, ...(!enabled && { disabled: true }) };
  if (draft.kind === 'http') {
    const target = { type: 'http', url: draft.url };
    return { ...target, headers: filled(draft.headers, before, 'headers', target), ...shared };
  }
  const target = { command: draft.command, args: draft.args };
  return { ...target, env: filled(draft.env, before, 'env', target), ...shared };
}

/** Fills in stored values, only for the program or address they were given for. @throws {AgentError} `invalid_request` */
function filled(
  given: Readonly<Record<string, string | null>>,
  before: StoredServer | undefined,
  field: 'env' | 'headers',
  target: StoredServer,
): Record<string, string> {
  const stored = (before?.[field] ?? {}) as Readonly<Record<string, unknown>>;
  const isSame = before !== undefined && targetOf(before) === targetOf(target);
  const entries = Object.entries(given).map(([key, value]): [string, string] => {
    if (value !== null) return [key, value];
    const kept = isSame && Object.hasOwn(stored, key) ? stored[key] : undefined;
    if (typeof kept === 'string') return [key, kept];
    throw new AgentError(
      'invalid_request',
      `Give the value of ${key} again, because the stored one was given for another program or address.`,
    );
  });
  return Object.fromEntries(entries);
}

/** Who gets the entered values: the server's program, or the origin of its address. */
function targetOf(server: StoredServer | undefined): string | undefined {
  const { url, command } = server ?? {};
  if (typeof url === 'string') return URL.canParse(url) ? new URL(url).origin : url;
  return typeof command === 'string' ? `$ ${command}` : undefined;
}

function isAbout({ tool, input }: Rule, name: string): boolean {
  return tool === name && input === undefined;
}

function withoutServer<R extends { tool: string }>(policy: readonly R[], names: readonly string[]): R[] {
  const spaces = names.map((name) => `${namespaceOf(name)}.`);
  return policy.filter(({ tool }) => !spaces.some((space) => tool.startsWith(space)));
}
