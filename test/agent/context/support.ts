import { mkdirSync, mkdtempSync, realpathSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, onTestFinished } from 'vitest';

/** A folder that goes with its test, or with the tests of a file, with these files, each changed a second after the one before. */
export function appWith(files: Record<string, string | Buffer>): string {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'mustard-agent-')));
  const remove = (): void => rmSync(root, { recursive: true, force: true });
  try {
    onTestFinished(remove);
  } catch {
    // Outside of a test. Within one, a hook for the file would not be called.
    afterAll(remove);
  }
  put(root, files);
  return root;
}

export function put(root: string, files: Record<string, string | Buffer>): void {
  for (const [index, [path, content]] of Object.entries(files).entries()) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), content);
    utimesSync(join(root, path), 1_700_000_000 + index, 1_700_000_000 + index);
  }
}
