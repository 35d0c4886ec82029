import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { builtinNames } from '@mustard-sandbox/client';
import { beforeAll, describe, expect, it, test } from 'vitest';
import { makeData } from '../../eval/data/index.mjs';
import { tablePrograms } from '../../fuzz/language/tables/index.mjs';
import { idiomsOf, topics } from '../language/idioms/topics.ts';
import { root } from './blocks.ts';
import { codeIn } from './tables.ts';

const pages = [
  'README.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  'CHANGELOG.md',
  'bench/README.md',
  ...readdirSync(join(root, 'docs')).flatMap((name) => (name.endsWith('.md') ? `docs/${name}` : [])),
  ...readdirSync(join(root, 'packages')).map((name) => `packages/${name}/README.md`),
];
const read = (page: string): string => readFileSync(join(root, page), 'utf8');

/** Every file in git, and every folder that holds one. */
function trackedPaths(): string[] {
  const files = execFileSync('git', ['ls-files'], { cwd: root, encoding: 'utf8', maxBuffer: 2 ** 26 }).split('\n');
  const folders = files.flatMap((file) => file.split('/').map((_, depth, parts) => parts.slice(0, depth).join('/')));
  return [...new Set([...files, ...folders])];
}

/** Their tables are lists of other projects' files, which tests of their own check. */
const listsOfNames = new Set(['docs/denied-names.md', 'docs/what-runs.md']);

/** Files that a user has, or that the build, a command or the program makes. */
const notInGit = new Set([
  ...['docs/reference', 'reference/protocol.md', 'reference/cli.md', 'reference/api/*.md', 'test262/node_modules'],
  ...['dist/', 'dist/main.cjs', 'main.cjs', 'sidecar.cjs', '.fuzz/', 'examples/NAME.js'],
  ...['node_modules/mustard-sandbox/dist/main.js', 'keys.json', 'AI_RULES.md', 'AGENTS.md'],
  ...['CLAUDE.md', 'SKILL.md', '@src/'],
  ...['.cursor/mcp.json', '.gemini/settings.json', '.mcp.json', '.vscode/mcp.json', 'claude_desktop_config.json'],
  ...['settings.json', 'server.log', 'model.js', 'pnpm-workspace.yaml', 'overrides.json', 'servers.json'],
  ...['NAME.chart.json', '.chart.json'],
]);

describe('paths in pages', () => {
  let tracked: string[];
  let topFolders: Set<string | undefined>;
  beforeAll(() => {
    tracked = trackedPaths();
    topFolders = new Set(tracked.flatMap((path) => (path.includes('/') ? path.split('/')[0] : [])));
  });

  it.each(pages)('%s names only files and folders that are there', (page) => {
    if (listsOfNames.has(page)) return;
    const prose = read(page).replaceAll(/^```[^]*?^```/gm, '');
    const paths = codeIn(prose).filter(
      (code) =>
        /^[\w.@-]+(?:\/[\w.@*-]+)*\/?$/.test(code) &&
        !notInGit.has(code) &&
        (topFolders.has(code.split('/')[0]) || /[^/]\.(?:[cm]?[jt]sx?|json|md|py|css)$|\/$/.test(code)),
    );
    const missing = paths.filter((path) => {
      const wanted = path.replace(/\/$/, '');
      return !tracked.some((each) => each === wanted || each.endsWith(`/${wanted}`));
    });
    expect(missing).toEqual([]);
  });
});

test.each(pages)('%s has no table cell over 200 characters', (page) => {
  const cells = read(page)
    .split('\n')
    .filter((line) => line.startsWith('|'))
    .flatMap((line) => line.split(/(?<!\\)\|/).map((cell) => cell.trim()));
  expect(cells.filter((cell) => cell.length > 200)).toEqual([]);
});

test('sources name only pages and headings that are there', () => {
  const sources = trackedPaths().filter((path) =>
    /^(?:packages|scripts|bench|fuzz|stress)\/.*\.(?:tsx?|mjs)$/.test(path),
  );
  const named = sources.flatMap((source) =>
    [...read(source).matchAll(/\b(docs\/(?!reference)[a-z-]+\.md)(?:, "([^"]+)")?/g)].map(([, page = '', heading]) => ({
      source,
      page,
      heading,
    })),
  );
  expect(named.length).toBeGreaterThan(30);
  const missing = named.filter(
    ({ page, heading }) =>
      !pages.includes(page) ||
      (heading !== undefined && !new RegExp(`^(?:#+ |\\*\\*)${heading}\\b`, 'm').test(read(page))),
  );
  expect(missing).toEqual([]);
});

const words = ['two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten', 'eleven', 'twelve'];
const numberOf = (text: string): number => {
  const word = words.indexOf(text.toLowerCase());
  return word < 0 ? Number(text.replaceAll(',', '')) : word + 2;
};

/** What pages count, each as it is counted from the source. */
const counted: Record<string, () => number> = {
  recipes: () => readdirSync(join(root, 'examples')).filter((name) => name.endsWith('.js')).length,
  'built-ins': () => builtinNames.length,
  packages: () => readdirSync(join(root, 'packages')).length,
  bindings: () => {
    const manifest = JSON.parse(read('packages/sandbox-daemon/package.json')) as { optionalDependencies: object };
    return Object.keys(manifest.optionalDependencies).filter((name) => name.includes('/binding-')).length;
  },
  questions: () => questionsOf('basics'),
  'more about other formats': () => questionsOf('formats'),
};

function questionsOf(list: string): number {
  const folder = mkdtempSync(join(tmpdir(), 'mustard-count-'));
  try {
    return makeData(folder, 0.01, list).questions.length;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Pages round these down. */
const atLeast: Record<string, () => number> = {
  'things that models write': () => topics.flatMap(idiomsOf).length,
  'programs that are always the same': () => tablePrograms().length,
};

const numberBefore = (what: string): RegExp =>
  new RegExp(`\\b(\\d[\\d,]*|${words.join('|')}) (?:\\w+ )?${what}\\b`, 'gi');

describe('counts in pages', () => {
  const told = (what: string): [page: string, told: number][] =>
    pages.flatMap((page) => [...read(page).matchAll(numberBefore(what))].map(([, n]) => [page, numberOf(n as string)]));

  it.each(Object.entries(counted))('%s', (what, count) => {
    for (const [page, number] of told(what)) expect([page, number]).toEqual([page, count()]);
  });

  it.each(Object.entries(atLeast))('%s', (what, count) => {
    for (const [page, number] of told(what)) {
      expect(count(), page).toBeGreaterThanOrEqual(number);
      expect(count(), page).toBeLessThan(1.2 * number);
    }
  });

  test('are found', () => {
    for (const what of ['recipes', 'bindings', 'questions', 'more about other formats', 'things that models write'])
      expect(told(what), what).not.toEqual([]);
  });
});
