import { readFile } from 'node:fs/promises';
import { isAbsolute, join } from 'node:path';
import type { Rule } from '@mustard-sandbox/code-mode';
import { problemOfFunctionNames } from '@mustard-sandbox/protocol';
import { z } from 'zod';
import { AgentError, type ServerDraft, type ToolAction } from '../../shared/contract/index.ts';
import { writePrivate } from '../private-files.ts';

/** One of the `mcpServers`, as the file has it. */
export type StoredServer = Readonly<Record<string, unknown>>;

const fileSchema = z.looseObject({
  mcpServers: z.record(z.string(), z.looseObject({})).default({}),
  policy: z.array(z.looseObject({ tool: z.string(), action: z.enum(['allow', 'ask', 'deny']) })).default([]),
});
type ServersFile = z.output<typeof fileSchema>;

/**
 * The MCP servers of the person: `servers.json` of the data folder, which only this user may read, in the format of the gateway
 * and of others. Nothing is ever read from a folder that a person works on: a cloned repository must not start a program.
 */
export class ServerStore {
  readonly #file: string;
  #policy: readonly Rule[] = [];
  #updated: Promise<unknown> = Promise.resolve();

  constructor(dataDir: string) {
    this.#file = join(dataDir, 'servers.json');
  }

  /** The rules as they were read or written last: for each call. */
  policy(): readonly Rule[] {
    return this.#policy;
  }

  /** @throws {AgentError} `changed` for a file that cannot be read: what is in it is not to be lost */
  async list(): Promise<[name: string, server: StoredServer][]> {
    return Object.entries((await this.#read()).mcpServers);
  }

  /** What the person chose for a tool, where that is a rule about the tool alone. */
  actionOf(tool: string): ToolAction | null {
    return this.#policy.find((rule) => isAbout(rule, tool))?.action ?? null;
  }

  /**
   * @param was the server that it takes the place of
   * @returns whether what was allowed of its tools still holds: it does not for another program or address
   * @throws {AgentError} `invalid_request`, `not_found`
   */
  async save(name: string, was: string | null, draft: ServerDraft): Promise<{ isOther: boolean }> {
    const problem = problemOf(draft) ?? problemOfFunctionNames([`${namespaceOf(name)}.x`])?.problem;
    if (problem !== undefined) throw new AgentError('invalid_request', problem);
    return await this.#change((file) => {
      const before = was === null ? undefined : own(file.mcpServers, was);
      if (was !== null && before === undefined)
        throw new AgentError('not_found', `There is no server ${was} any more.`);
      const others = Object.entries(file.mcpServers).filter(([other]) => other !== was);
      if (others.some(([other]) => namespaceOf(other) === namespaceOf(name))) {
        throw new AgentError('invalid_request', `There is a server called ${name} already. Choose another name.`);
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
        throw new AgentError('not_found', `There is no server ${name} any more.`);
      const { [name]: _, ...left } = file.mcpServers;
      // Who comes later under this name must not find doors open.
      return [{ ...file, mcpServers: left, policy: withoutServer(file.policy, [name]) }, undefined];
    });
  }

  /** The person's choice comes before all other rules. */
  async setAction(tool: string, action: ToolAction | null): Promise<void> {
    await this.#change((file) => {
      const others = file.policy.filter((rule) => !isAbout(rule as Rule, tool));
      return [{ ...file, policy: action === null ? others : [{ tool, action }, ...others] }, undefined];
    });
  }

  /** One after the other: two at once would each write what the other had changed as it was before. */
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
      throw new AgentError('changed', `${this.#file} is no file of servers. Mend it, or remove it and add them anew.`);
    }
  }
}

/** Every object seems to have a `__proto__`. */
function own<T>(from: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(from, name) ? from[name] : undefined;
}

/** As scripts call it. Those that the page adds have no other characters that would have to be replaced. */
export function namespaceOf(name: string): string {
  return name.replaceAll(/[^A-Za-z0-9_$]/g, '_');
}

function problemOf(draft: ServerDraft): string | undefined {
  if (draft.kind === 'stdio') {
    const { command } = draft;
    // The program may have been started in a folder that somebody else has filled.
    const isElsewhere = !/[/\\]/.test(command) || isAbsolute(command);
    return isElsewhere ? undefined : 'Give the command as the name of a program, or with its whole path.';
  }
  let url: URL;
  try {
    url = new URL(draft.url);
  } catch {
    return 'This is no address. It begins with https:// or http://.';
  }
  if (!/^https?:$/.test(url.protocol)) return 'The address must begin with https:// or http://.';
  // It would be shown with the address.
  return url.username + url.password === '' ? undefined : 'Put the password into a header: an address is shown.';
}

/** What the page knows nothing of, such as `cwd` or `timeoutMs`. */
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

/** A value is for the program or the address that it was given for. @throws {AgentError} `invalid_request` */
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
      `Give the value of ${key} again: what is stored was given for another program or address.`,
    );
  });
  return Object.fromEntries(entries);
}

/** Who gets what is entered for a server: its program, or the origin of its address. */
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
