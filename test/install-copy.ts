import { cpSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const packages = fileURLToPath(new URL('../packages', import.meta.url));

/** Copies what runs of a built package to where npm would install it: of most a twentieth of its `dist`. */
export function installCopy(name: string, target: string): void {
  const folder = join(packages, name);
  const { files } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { files: string[] };
  for (const file of ['package.json', ...files.filter((pattern) => /^(?:bin|dist)\b[^*]*$/.test(pattern))]) {
    cpSync(join(folder, file), join(target, file), { recursive: true, filter: isRun });
  }
}

/** Two thirds of a build are declarations. */
function isRun(path: string): boolean {
  return !/\.(?:d\.ts|d\.cts|map|tsbuildinfo|txt)$/.test(path);
}
