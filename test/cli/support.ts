import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { expect, onTestFinished } from 'vitest';

export const main = fileURLToPath(new URL('../../packages/cli/dist/main.js', import.meta.url));
export const isLinux = process.platform === 'linux';
export const isPosix = process.platform !== 'win32';

export interface Ended {
  exitCode: number | undefined;
  stdout: string;
  stderr: string;
}

export interface CliOptions {
  cwd?: string;
  /** Its stdin; without it, stdin is empty. */
  input?: string | Uint8Array;
  env?: Record<string, string>;
  nodeArgs?: string[];
  main?: string;
}

/** Runs the built command to its end. */
export async function cli(
  args: string[],
  { nodeArgs = [], main: path = main, ...options }: CliOptions = {},
): Promise<Ended> {
  const { exitCode, stdout, stderr } = await execa(process.execPath, [...nodeArgs, path, ...args], {
    input: '',
    ...options,
    reject: false,
    stripFinalNewline: false,
  });
  return { exitCode, stdout, stderr };
}

/** Runs a script that comes on stdin. */
export async function runScript(script: string, ...args: string[]): Promise<Ended> {
  return await cli(['run', '-', ...args], { input: script });
}

/**
 * A fresh folder with these files; a path that ends in `/` is a folder.
 *
 * @param onEnd when it is removed: after the test
 */
export function makeFolder(
  files: Record<string, string | Uint8Array> = {},
  onEnd: (remove: () => void) => void = onTestFinished,
): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'mustard-cli-')));
  onEnd(() => rmSync(folder, { recursive: true, force: true }));
  for (const [path, content] of Object.entries(files)) {
    const absolute = join(folder, path);
    mkdirSync(path.endsWith('/') ? absolute : dirname(absolute), { recursive: true });
    if (!path.endsWith('/')) writeFileSync(absolute, content);
  }
  return folder;
}

export interface JsonReport {
  ok: boolean;
  [key: string]: unknown;
  error: { code: string; message: string; details: Record<string, unknown> };
}

/** What `--json` printed: one line with one object, and nothing else. */
export function parseOnly({ stdout }: Ended): JsonReport {
  expect(stdout.split('\n')).toHaveLength(2);
  expect(stdout.endsWith('\n')).toBe(true);
  return JSON.parse(stdout) as JsonReport;
}

/** Process ids of the children of `pid`; Linux only. */
export function childrenOf(pid: number): number[] {
  const text = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim();
  return text === '' ? [] : text.split(' ').map(Number);
}

/** A zombie that its parent has not yet asked about is not running; Linux only. */
export function isRunning(pid: number): boolean {
  if (!existsSync(`/proc/${pid}/stat`)) return false;
  try {
    return !/^\d+ \(.*\) [ZX]/s.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}
