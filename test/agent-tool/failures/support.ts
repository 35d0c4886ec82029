import { mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { explainFailure, type FailureContext } from '@mustard-sandbox/agent-tool';
import { createSandbox, SandboxError, type RunOptions } from '@mustard-sandbox/client';
import { treeOf } from '../../../packages/sandbox-daemon/src/engine/read/reading.ts';
import { fill, type Layout } from '../../files/support.ts';
import { atProcessEnd } from '../../process-end.ts';

/** A folder that goes with the process. */
export function folderWith(layout: Layout): string {
  const made = realpathSync(mkdtempSync(join(tmpdir(), 'mustard-failures-')));
  atProcessEnd(() => rmSync(made, { recursive: true, force: true }));
  fill(made, layout);
  return made;
}

/** For all the test files of a process, as the sandbox is: a file that needs others has a folder of its own. */
export const folder = folderWith({ 'a.txt': 'alpha\nbeta\n', 'b.txt': 'größe', 'src/c.js': 'c', '.env': 'SECRET=1' });
export const bigFile = join(folder, 'server.log');
fill(folder, { 'server.log': 'INFO ok\nERROR bad\n'.repeat(90_000) });

// A long grace: on a busy machine a run that can be cancelled must not be killed, which would lose its place. Nobody
// closes it: its sidecars end with the process.
export const sandbox = createSandbox({ spares: 0, quarantineAfter: 1000, graceMs: 1000 });

export const scope = { root: folder, attachments: [{ name: 'server.log', path: bigFile }] };

export interface Explained {
  error: SandboxError;
  text: string;
}

/** The error of a script that has to fail, and what a model reads about it. */
export async function explain(
  script: string,
  options: Partial<RunOptions> = {},
  context: Partial<FailureContext> = {},
): Promise<Explained> {
  const error = await sandbox.run({ script, scope, ...options }).then(
    ({ value }) => new Error(`the script gave ${JSON.stringify(value)}`),
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof SandboxError)) throw error;
  const hostFunctions = Object.keys(options.hostFunctions ?? {});
  const text = explainFailure(error, {
    script,
    hostFunctions,
    attachments: ['server.log'],
    hasRoot: true,
    profile: error.details.profile,
    ...context,
  });
  return { error, text };
}

/** The complete script in an answer. */
export function exampleIn(text: string): string {
  const blocks = [...text.matchAll(/^```js\n([\s\S]*?)\n```$/gm)];
  if (blocks.length !== 1) throw new Error(`${blocks.length} examples in ${text}`);
  return (blocks[0] as RegExpMatchArray)[1] as string;
}

/** What a script gives in the engine. */
export async function inEngine(script: string): Promise<unknown> {
  return plain((await sandbox.run({ script, scope })).value);
}

const AsyncFunction = (async () => {}).constructor as new (
  ...parameters: string[]
) => (...args: unknown[]) => Promise<unknown>;

/** What a script gives in JavaScript, with the functions of the sandbox over the same files. */
export async function inJavaScript(script: string): Promise<unknown> {
  const names = Object.keys(functions);
  const run = new AsyncFunction(...names, returningLast(script));
  return plain(await run(...Object.values(functions)));
}

/** The value of the last statement becomes what the function returns. */
function returningLast(script: string): string {
  const last = treeOf({ source: script, code: script, waits: false })?.body.at(-1);
  if (last?.type !== 'ExpressionStatement') return script;
  const { start, end } = last.expression;
  return `${script.slice(0, last.start)}return (${script.slice(start, end)})`;
}

const pathOf = (path: string): string => path.replace('attachments:', '');
const functions = {
  read_file(path: string, options: { start?: number; length?: number; encoding?: BufferEncoding } = {}): string {
    const { start = 0, length = 1e9, encoding = 'utf8' } = options;
    return readFileSync(join(folder, pathOf(path)))
      .subarray(start, start + length)
      .toString(encoding);
  },
  list_files(dir = '.'): string[] {
    if (dir === 'attachments:') return ['attachments:server.log'];
    const entries = readdirSync(join(folder, dir), { withFileTypes: true }).filter(({ name }) => name !== '.env');
    return entries.map((entry) => (entry.isDirectory() ? `${entry.name}/` : entry.name)).toSorted();
  },
  file_stats(path: string): object {
    const { size, mtime } = statSync(join(folder, pathOf(path)));
    return { size, isText: true, mtime: mtime.toISOString() };
  },
  require: () => ({
    readdirSync: () => functions.list_files(),
    readFileSync: (path: string) => functions.read_file(path),
    statSync: (path: string) => functions.file_stats(path),
  }),
  console: { log() {}, warn() {}, error() {}, info() {}, table() {} },
};

/** Values that only JavaScript can hand out, as a script has to write them; keys in order. */
function plain(value: unknown): unknown {
  if (value instanceof Map) return plain(Object.fromEntries(value));
  if (value instanceof Set) return plain([...value]);
  if (value instanceof Date) return value.toISOString();
  if (value instanceof RegExp || typeof value === 'bigint') return String(value);
  if (value instanceof Error) return value.message;
  if (typeof value === 'function') return plain((value as () => unknown)());
  if (ArrayBuffer.isView(value)) return plain(Array.from(value as unknown as Iterable<unknown>));
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== 'object' || value === null) return value;
  if ('next' in value) return plain([...(value as unknown as Iterable<unknown>)]);
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, plain(item)]));
}
