import { cpSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const packages = fileURLToPath(new URL('../packages', import.meta.url));

/** Copies what runs of a built package to where npm would install it: of most a twentieth of its `dist`. */
export function installCopy(name: string, target: string): void {
  const folder = join(packages, name);
  const { files } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { files: string[] };
  const shipped = files.filter((pattern) => /^(?:bin|dist)\b/.test(pattern) && !pattern.endsWith('.d.ts'));
  for (const file of ['package.json', ...shipped.flatMap((pattern) => matching(folder, pattern))]) {
    cpSync(join(folder, file), join(target, file), { recursive: true, filter: isRun });
  }
}

/** The files that `pattern` names, with a `*` in its last part at most. */
function matching(folder: string, pattern: string): string[] {
  const [start, end] = basename(pattern).split('*');
  if (end === undefined) return [pattern];
  const within = dirname(pattern);
  const names = readdirSync(join(folder, within)).filter(
    (name) => name.startsWith(start as string) && name.endsWith(end),
  );
  return names.map((name) => join(within, name));
}

/** Two thirds of a build are declarations. */
function isRun(path: string): boolean {
  return !/\.(?:d\.ts|d\.cts|map|tsbuildinfo|txt)$/.test(path);
}
