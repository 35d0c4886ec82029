import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';
import { openFileAccess, type FileAccess } from '../../packages/sandbox-daemon/src/files/index.ts';
import type { AsideContext } from '../../packages/sandbox-daemon/src/files/context.ts';
import { SandboxError, scopeSchema, type ScopeOptions } from '@mustard-sandbox/protocol';

/** What a tree holds, by path: contents, or a link's target. */
export type Layout = Record<string, string | Uint8Array | { link: string }>;

/** A fresh folder, free of links in its path, removed after the test. */
export function makeFolder(layout: Layout = {}): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'mustard-files-')));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  fill(folder, layout);
  return folder;
}

export function fill(folder: string, layout: Layout): void {
  for (const [path, what] of Object.entries(layout)) {
    const absolute = join(folder, path);
    mkdirSync(path.endsWith('/') ? absolute : dirname(absolute), { recursive: true });
    if (path.endsWith('/')) continue;
    if (typeof what === 'string' || what instanceof Uint8Array) writeFileSync(absolute, what);
    else symlinkSync(what.link, absolute);
  }
}

export function openScope(options: ScopeOptions): FileAccess & AsideContext {
  return openFileAccess(scopeSchema.parse(options));
}

export function accessTo(root: string, options: ScopeOptions = {}): FileAccess & AsideContext {
  return openScope({ root, ...options });
}

/** What `body` throws; fails when it throws nothing, or anything but a `SandboxError`. */
export function errorOf(body: () => unknown): SandboxError {
  let result: unknown;
  try {
    result = body();
  } catch (error) {
    if (error instanceof SandboxError) return error;
    throw new Error('Not a SandboxError', { cause: error });
  }
  throw new Error(`Nothing was thrown; it gave ${JSON.stringify(result)}`);
}

/**
 * Opens the other end of a FIFO after some seconds, if the test is still going on. Should the code under
 * test wait for it, nothing else could end that: the thread hangs in open(2), where no timeout reaches it.
 */
export function releaseLater(fifo: string, seconds: number): void {
  const child = spawn('sh', ['-c', 'sleep "$1"; : <> "$0"', fifo, String(seconds)], {
    detached: true,
    stdio: 'ignore',
  });
  onTestFinished(() => {
    if (child.exitCode === null && child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
  });
}
