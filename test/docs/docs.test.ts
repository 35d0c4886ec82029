import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));
const documents = ['CONTRIBUTING.md', ...readdirSync(join(root, 'docs')).map((name) => `docs/${name}`)];
const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { scripts: object };

describe.each(documents)('%s', (document) => {
  const text = readFileSync(join(root, document), 'utf8');

  it('links only to what is there', () => {
    const links = [...text.matchAll(/\]\((?!https:)([^)#]+)(?:#[^)]*)?\)/g)].map(([, path]) => path as string);
    expect(links.filter((path) => !existsSync(join(root, dirname(document), path)))).toEqual([]);
  });

  it('names only npm scripts that are there', () => {
    const named = [...text.matchAll(/npm (?:run )?([\w:]+)/g)].map(([, name]) => name as string);
    const own = new Set(['install', 'ci', 'pack', 'picks', 'that']);
    expect(named.filter((name) => !own.has(name) && !Object.hasOwn(scripts, name))).toEqual([]);
  });

  it.each(['stress', 'fuzz'])('names only commands and options of %s that are there', async (tool) => {
    const pattern = new RegExp(`^npm run ${tool} -- (.+)$`, 'gm');
    const commands = [...text.matchAll(pattern)].map(([, command]) => command as string);
    const { stdout: help } = await execa(process.execPath, [join(root, tool, 'index.mjs'), '--help']);
    for (const word of commands.flatMap((command) => command.split(' ').filter((part) => !/^\d+$/.test(part)))) {
      expect(help).toContain(word);
    }
  });
});
