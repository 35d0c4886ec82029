import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';

const folder = fileURLToPath(new URL('../../../../packages/desktop-agent/dist/page/', import.meta.url));
const maxKilobytes = 300;

/** A script of the page with all that it imports before it runs. */
function staticallyLoaded(name: string, found = new Map<string, string>()): Map<string, string> {
  if (found.has(name)) return found;
  const text = readFileSync(`${folder}${name}`, 'utf8');
  found.set(name, text);
  for (const [, path] of text.matchAll(/(?:from|import)"\.\/([\w-]+\.js)"/g)) staticallyLoaded(path as string, found);
  return found;
}

test(`what the page loads at its start is at most ${maxKilobytes} KB, and has no editor and no plots`, () => {
  const loaded = staticallyLoaded('main.js');
  const kilobytes = [...loaded.values()].reduce((sum, text) => sum + gzipSync(text).length, 0) / 1024;
  expect(kilobytes).toBeLessThan(maxKilobytes);
  const isEditor = (name: string): boolean => readFileSync(`${folder}${name}`, 'utf8').includes('cm-activeLine');
  const isPlot = (name: string): boolean => readFileSync(`${folder}${name}`, 'utf8').includes('symlog');
  const later = readdirSync(folder).filter((name) => name.endsWith('.js') && !loaded.has(name));
  expect(later.filter(isEditor).length).toBe(1);
  expect(later.filter(isPlot).length).toBe(1);
  expect([...loaded.keys()].filter((name) => isEditor(name) || isPlot(name))).toEqual([]);
});
