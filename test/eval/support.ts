import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa, type Options, type ResultPromise } from 'execa';
import { onTestFinished } from 'vitest';

const options = { cwd: fileURLToPath(new URL('../../', import.meta.url)), reject: false } as const satisfies Options;

/** `npm run eval` over small files, with time enough for a busy machine. */
export function evaluate(...args: string[]): ResultPromise<typeof options> {
  return execa(process.execPath, ['eval/index.mjs', '--scale', '0.02', '--seconds', '10', ...args], options);
}

export function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'mustard-eval-test-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}
