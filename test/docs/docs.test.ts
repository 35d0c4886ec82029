import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));
const pages = readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.md'))
  .map((name) => `docs/${name.replaceAll('\\', '/')}`);
const documents = ['README.md', 'CONTRIBUTING.md', 'SECURITY.md', 'bench/README.md', ...pages];
const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { scripts: object };

const helps = new Map<string, Promise<string>>();

/** What `--help` prints, asked for once. */
async function helpOf(program: string): Promise<string> {
  const ask = async () => (await execa(process.execPath, [join(root, program), '--help'])).stdout;
  if (!helps.has(program)) helps.set(program, ask());
  return (await helps.get(program)) as string;
}

/** Links and headings are not looked for in code. */
function prose(document: string): string {
  return readFileSync(document, 'utf8').replaceAll(/^```[\s\S]*?^```/gm, '');
}

/** The anchors of a page, as GitHub makes them of its headings. */
function anchors(document: string): Set<string> {
  const found = new Set<string>();
  for (const [, heading] of prose(document).matchAll(/^#+ (.+)$/gm)) {
    const slug = (heading as string)
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-');
    let anchor = slug;
    for (let copy = 1; found.has(anchor); copy++) anchor = `${slug}-${copy}`;
    found.add(anchor);
  }
  return found;
}

describe.each(documents)('%s', (document) => {
  const text = readFileSync(join(root, document), 'utf8');

  it('links only to what is there', () => {
    const path = join(root, document);
    const links = [...prose(path).matchAll(/\]\((?!https:)([^)]+)\)/g)].map(([, link]) => link as string);
    const broken = links.filter((link) => {
      const [file, anchor] = link.split('#') as [string, string?];
      const target = file === '' ? path : resolve(dirname(path), file);
      return !existsSync(target) || (anchor !== undefined && !anchors(target).has(anchor));
    });
    expect(broken).toEqual([]);
  });

  it('names only npm scripts that are there', () => {
    const named = [...text.matchAll(/\bnpm (?:run )?([\w:]+)/g)].map(([, name]) => name as string);
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
