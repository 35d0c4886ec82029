import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { describe, expect, it } from 'vitest';
import { brokenLinks } from './links.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const pages = readdirSync(join(root, 'docs'))
  .filter((name) => name.endsWith('.md'))
  .map((name) => `docs/${name}`);
const readmes = readdirSync(join(root, 'packages')).map((name) => `packages/${name}/README.md`);
const documents = ['README.md', 'CONTRIBUTING.md', 'SECURITY.md', 'bench/README.md', ...readmes, ...pages];
const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { scripts: object };

const helps = new Map<string, Promise<string>>();

/** What `--help` prints, asked for once. */
async function helpOf(program: string): Promise<string> {
  const ask = async () => (await execa(process.execPath, [join(root, program), '--help'])).stdout;
  if (!helps.has(program)) helps.set(program, ask());
  return (await helps.get(program)) as string;
}

describe.each(documents)('%s', (document) => {
  const text = readFileSync(join(root, document), 'utf8');

  it('links only to what is there', () => {
    expect(brokenLinks(join(root, document))).toEqual([]);
    // It is not in git; whoever reads the page elsewhere would find nothing.
    expect(text).not.toMatch(/\]\([^)]*reference\//);
  });

  it('has no cell of a table that is longer than 200 characters', () => {
    const rows = text.split('\n').filter((line) => line.startsWith('|') && !/^[|\s:-]+$/.test(line));
    const cells = rows.flatMap((row) => row.split(/(?<!\\)\|/).map((cell) => cell.trim()));
    expect(cells.filter(({ length }) => length > 200)).toEqual([]);
  });

  it('names only npm scripts that are there', () => {
    const named = [...text.matchAll(/\bnpm (?:run )?([\w:-]+)/g)].map(([, name]) => name as string);
    const own = new Set(['install', 'ci', 'pack', 'picks', 'that']);
    expect(named.filter((name) => !own.has(name) && !Object.hasOwn(scripts, name))).toEqual([]);
  });

  it.each(['stress', 'fuzz'])('names only commands and options of %s that are there', async (tool) => {
    const pattern = new RegExp(`^npm run ${tool} -- (.+)$`, 'gm');
    const commands = [...text.matchAll(pattern)].map(([, command]) => command as string);
    const help = await helpOf(`${tool}/index.mjs`);
    for (const word of commands.flatMap((command) => command.split(' ').filter((part) => !/^\d+$/.test(part)))) {
      expect(help).toContain(word);
    }
  });

  it('names only options and figures of the bench that are there', async () => {
    const commands = [...text.matchAll(/npm run bench -- ([^`\n]+)/g)].map(([, command]) => command as string);
    const help = await helpOf('bench/index.mjs');
    const words = commands.flatMap((command) => command.split(/[ ,|]+/)).filter((word) => !word.endsWith('.json'));
    for (const word of words) expect(help).toMatch(new RegExp(`(?<![\\w-])${word}(?![\\w-])`));
  });
});

it('docs/README.md leads to every page', () => {
  const contents = readFileSync(join(root, 'docs/README.md'), 'utf8');
  const missing = pages.filter((page) => page !== 'docs/README.md' && !contents.includes(`](${page.slice(5)})`));
  expect(missing).toEqual([]);
});
