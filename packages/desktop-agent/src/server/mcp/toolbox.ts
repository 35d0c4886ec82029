// The tools of the person's servers. Servers are started when they are first needed, and again when the settings change.
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { CodeModeTool, ServerOptions } from '@mustard-sandbox/code-mode';
import { createSandbox, limitTable, type LocalSandbox } from '@mustard-sandbox/client';
import { problemOfFunctionNames } from '@mustard-sandbox/protocol';
import { privateFolder, writePrivate } from '../private-files.ts';
import { namespaceOf, type ServerStore, type StoredServer } from './server-store.ts';

/** How long to wait for a server, in ms. A slower one is left out, and the model's answer continues without it. */
const connectMs = 15_000;

/** The servers as they were configured at one time. */
export interface Opened {
  tool: CodeModeTool;
  /** Why servers could not be connected, by their namespaces. */
  failures: ReadonlyMap<string, string>;
}

interface Generation {
  opened: Promise<Opened>;
  /** The result, once the servers are open. */
  result: Opened | undefined;
  uses: number;
  isOld: boolean;
}

/** The folder of runs, their key and what was allowed permanently. */
export function runsFolderOf(dataDir: string): string {
  return join(dataDir, 'runs');
}

export class Toolbox implements AsyncDisposable {
  readonly #dataDir: string;
  readonly #servers: ServerStore;
  readonly #onChange: () => void;
  #sandbox: Promise<LocalSandbox> | undefined;
  #current: Generation | undefined;
  /** Why nothing could be opened. */
  #problem: string | undefined;
  readonly #all = new Set<Generation>();

  constructor(dataDir: string, servers: ServerStore, onChange: () => void) {
    this.#dataDir = dataDir;
    this.#servers = servers;
    this.#onChange = onChange;
  }

  /** The servers that are open now. It opens none. */
  get now(): { isOpening: boolean; opened: Opened | undefined; problem: string | undefined } {
    const { result } = this.#current ?? {};
    return { isOpening: this.#current !== undefined && result === undefined, opened: result, problem: this.#problem };
  }

  /** Works with the tools. Their servers run at least until the work is done. */
  async use<T>(work: (opened: Opened) => Promise<T>): Promise<T> {
    const generation = (this.#current ??= this.#begin());
    generation.uses++;
    try {
      return await work(await generation.opened);
    } finally {
      generation.uses--;
      await this.#endIfOver(generation);
    }
  }

  /** What a model is told about the tools; `undefined` when there are none. */
  async offered(signal: AbortSignal): Promise<Pick<CodeModeTool, 'description' | 'inputSchema'> | undefined> {
    if ((await this.#servers.list()).every(([, { disabled }]) => disabled === true)) return undefined;
    const opened = this.use(async ({ tool: { tools, description, inputSchema } }) =>
      tools.length === 0 ? undefined : { description, inputSchema },
    );
    const stopped = new Promise<never>((_, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    });
    stopped.catch(() => {});
    opened.catch(() => {});
    return await Promise.race([opened, stopped]);
  }

  /** Makes the next use open the servers again, after new settings or a failure. Work under way keeps its servers. */
  renew(): void {
    const before = this.#current;
    this.#current = undefined;
    if (before === undefined) return;
    before.isOld = true;
    void this.#endIfOver(before);
  }

  /** Forgets what was always allowed for a server, because another one may get its name. */
  async forget(name: string): Promise<void> {
    const file = join(runsFolderOf(this.#dataDir), 'remembered.jsonl');
    const text = await readFile(file, 'utf8').catch(() => '');
    const space = `${namespaceOf(name)}.`;
    const kept = text.split('\n').filter((line) => line !== '' && !toolIn(line).startsWith(space));
    if (text !== '') await writePrivate(file, kept.map((line) => `${line}\n`).join(''));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#current = undefined;
    await Promise.all([...this.#all].map((generation) => this.#end(generation)));
    await (await this.#sandbox)?.close();
  }

  #begin(): Generation {
    const generation: Generation = { opened: this.#open(), result: undefined, uses: 0, isOld: false };
    this.#all.add(generation);
    void this.#settle(generation);
    queueMicrotask(this.#onChange);
    return generation;
  }

  async #settle(generation: Generation): Promise<void> {
    try {
      generation.result = await generation.opened;
      this.#problem = undefined;
    } catch (error) {
      // The next use tries again.
      this.#all.delete(generation);
      if (this.#current === generation) this.#current = undefined;
      this.#problem = error instanceof Error ? error.message : String(error);
    }
    this.#onChange();
  }

  async #endIfOver(generation: Generation): Promise<void> {
    if (generation.isOld && generation.uses === 0) await this.#end(generation);
  }

  async #end(generation: Generation): Promise<void> {
    if (!this.#all.delete(generation)) return;
    await generation.opened.then(
      ({ tool }) => tool.close(),
      () => {},
    );
  }

  async #open(): Promise<Opened> {
    const [{ createCodeModeTool }, { keyIn, parseServer, remember, rememberedIn }, { sqliteStore }] = await Promise.all(
      [
        import('@mustard-sandbox/code-mode'),
        import('@mustard-sandbox/code-mode/host'),
        import('@mustard-sandbox/runs'),
      ],
    );
    const folder = runsFolderOf(this.#dataDir);
    // Servers do not start in the program's working folder, because `npx` would run what a project has installed there.
    const cwd = join(this.#dataDir, 'servers');
    const answers = join(folder, 'answers');
    await Promise.all([privateFolder(folder), privateFolder(cwd)]);
    const failures = new Map<string, string>();
    const mcp: Record<string, ServerOptions> = {};
    for (const [name, given] of await this.#servers.list()) {
      if (given['disabled'] === true) continue;
      const namespace = namespaceOf(name);
      try {
        const problem = problemOfFunctionNames([`${namespace}.x`])?.problem;
        if (problem !== undefined) throw new Error(problem);
        mcp[namespace] = optionsOf(parseServer(name, given, process.env), given, cwd);
      } catch (error) {
        failures.set(namespace, (error as Error).message);
      }
    }
    const tool = await createCodeModeTool({
      sandbox: await (this.#sandbox ??= sandboxIn(answers)),
      store: sqliteStore(join(folder, 'runs.db')),
      keys: [await keyIn(folder)],
      mcp,
      policy: () => this.#servers.policy(),
      remembered: () => rememberedIn(folder),
      onRemember: (rule) => remember(folder, rule),
      largeAnswers: { folder: answers },
      connectMs,
      onServerFailed: (namespace, { message }) => void failures.set(namespace, message),
    });
    return { tool, failures };
  }
}

/** A sandbox whose scripts can read large answers of tools, and nothing else. */
async function sandboxIn(answers: string): Promise<LocalSandbox> {
  await mkdir(answers, { recursive: true, mode: 0o700 });
  return createSandbox({ roots: [answers], spares: 0, maxTimeoutMs: limitTable.timeoutMs.ceiling });
}

/** A server's hints on its tools loosen the rules, so they are believed only if the person says so. */
function optionsOf(options: ServerOptions, given: StoredServer, cwd: string): ServerOptions {
  const trustHints = given['trustHints'] === true;
  return 'url' in options ? { ...options, trustHints } : { cwd, ...options, trustHints };
}

function toolIn(line: string): string {
  try {
    return String((JSON.parse(line) as { tool?: unknown }).tool);
  } catch {
    return '';
  }
}
