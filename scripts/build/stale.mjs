import { readdirSync, rmSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readStamp } from './stamp.mjs';

const packages = fileURLToPath(new URL('../../packages/', import.meta.url));

/** Removes from every `dist` what no source makes any more: tests would find it there, and it would be published. */
export function removeStale() {
  for (const name of readdirSync(packages)) {
    const dist = join(packages, name, 'dist');
    const made = expectedFiles(join(packages, name));
    for (const file of filesIn(dist)) {
      const isCopied = ['recipes', 'tour'].some((folder) => file.startsWith(join(dist, folder)));
      if (!made.has(file) && !isCopied) rmSync(file);
    }
  }
}

/** @param {string} folder of the package */
function expectedFiles(folder) {
  const dist = join(folder, 'dist');
  const stamps = ['.bundle.json', '.compiled.json', '.app.json'].map((name) => join(dist, name));
  const bundled = stamps.flatMap((stamp) => Object.keys(readStamp(stamp) ?? {}));
  const made = new Set([...stamps, join(dist, '.tsbuildinfo'), ...bundled]);
  for (const source of filesIn(join(folder, 'src'))) {
    const base = join(dist, relative(join(folder, 'src'), source)).replace(/\.tsx?$/, '');
    for (const extension of ['.d.ts', '.js', '.js.map']) made.add(base + extension);
  }
  return made;
}

/** @param {string} folder */
function filesIn(folder) {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}
