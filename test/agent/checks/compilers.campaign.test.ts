// With the real compilers. The oracle is the compiler's own command over the tree as it would be.
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Problem } from '../../../packages/desktop-agent/src/shared/contract/index.ts';
import type { Overlay } from '../../../packages/desktop-agent/src/server/context/index.ts';
import { findProblems } from '../../../packages/desktop-agent/src/server/checks/find-problems.ts';
import { appWith, compilers, put, typedApp, type CompilerKind } from './support.ts';

const files = {
  'tsconfig.json': `{
    // As a new app has it.
    "compilerOptions": { "strict": true, "module": "esnext", "moduleResolution": "bundler", "types": [], },
    "include": ["src"],
  }`,
  'src/main.ts': `import { total } from './total';
import { label } from './text/label';

export const shown: string = label(total([1, 2]));
`,
  'src/total.ts': 'export const total = (all: number[]): number => all.reduce((sum, one) => sum + one, 0);\n',
  'src/text/label.ts': 'export const label = (value: number): string => `${value}`;\n',
  'tests/not-included.ts': 'const wrong: number = "";\n',
};

const none: Overlay = { deletes: [], renames: [], writes: [] };
const writing = (path: string, content: string): Overlay => ({ ...none, writes: [{ path, content }] });

const proposals: Record<string, Overlay> = {
  nothing: none,
  'a changed type': writing('src/total.ts', 'export const total = (all: string[]) => all[0];'),
  'a new file with a syntax error': writing('src/deep/new.ts', '\nexport const = ;\n'),
  'a deleted folder': { ...none, deletes: ['src/text'] },
  'a renamed folder': { ...none, renames: [{ from: 'src/text', to: 'src/words' }] },
  'a rename with its imports': {
    deletes: [],
    renames: [{ from: 'src/text/label.ts', to: 'src/words/label.ts' }],
    writes: [
      {
        path: 'src/main.ts',
        content: "import { label } from './words/label';\nexport const shown: number = label(1);\n",
      },
    ],
  },
  'another configuration': writing(
    'tsconfig.json',
    '{ "compilerOptions": { "strict": true, "types": [] }, "include": ["tests"] }',
  ),
};

const inOrder = (problems: Problem[]): string[] =>
  problems.map(({ path, line, column, code }) => [path, line, column, code].join(' ')).toSorted();

/** What `tsc` says of the tree, made for real: file, line, column, code. */
function saidByCommand(kind: CompilerKind, app: string, overlay: Overlay): string[] {
  const made = mkdtempSync(join(tmpdir(), 'mustard-made-'));
  try {
    cpSync(app, made, { recursive: true, filter: (path) => !path.includes('node_modules') });
    for (const path of overlay.deletes) rmSync(join(made, path), { recursive: true });
    for (const { from, to } of overlay.renames) {
      mkdirSync(join(made, to, '..'), { recursive: true });
      renameSync(join(made, from), join(made, to));
    }
    put(made, Object.fromEntries(overlay.writes.map(({ path, content }) => [path, content])));
    const stdout = output([join(compilers[kind], 'bin/tsc'), '-p', made, '--noEmit', '--pretty', 'false'], made);
    const lines = stdout.matchAll(/^(\S+)\((\d+),(\d+)\): error (TS\d+)/gm);
    return [...lines].map((found) => found.slice(1, 5).join(' ')).toSorted();
  } finally {
    rmSync(made, { recursive: true, force: true });
  }
}

function output(args: string[], cwd: string): string {
  try {
    return execFileSync(process.execPath, args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  } catch (error) {
    // It fails when there are problems.
    return (error as { stdout: string }).stdout;
  }
}

describe.each(['javascript', 'native'] as const)('the %s compiler', (kind) => {
  const app = typedApp(kind, files);
  const before = readdirSync(app, { recursive: true }).length;

  test.each(Object.entries(proposals))('says of %s what its command says', async (name, overlay) => {
    const report = await findProblems(app, { overlay, allowUnjailed: 'everything' });
    expect(report.unchecked).toBeNull();
    const said = saidByCommand(kind, app, overlay);
    expect(inOrder(report.problems)).toEqual(said);
    expect(said.length > 0).toBe(name !== 'nothing');
    // Nothing was written to look.
    expect(readdirSync(app, { recursive: true }).length).toBe(before);
  });

  test('looks at the projects that one refers to, and says no path of the machine', async () => {
    const options = '"compilerOptions": { "composite": true, "strict": true, "noEmit": true, "types": [] }';
    const references = '[{ "path": "./one" }, { "path": "./two/tsconfig.app.json" }] /* as a new app has it */,';
    const overlay: Overlay = {
      deletes: ['src', 'tests'],
      renames: [],
      writes: [
        { path: 'tsconfig.json', content: `{ "files": [], "references": ${references} }` },
        { path: 'one/tsconfig.json', content: `{ ${options} }` },
        { path: 'one/a.ts', content: 'export const a: number = "";\n' },
        { path: 'two/tsconfig.app.json', content: `{ ${options}, "extends": "../missing.json" }` },
        { path: 'two/b.ts', content: '\nexport const b: string = 1;\n' },
      ],
    };
    const { problems } = await findProblems(app, { overlay, allowUnjailed: 'everything' });
    expect(inOrder(problems)).toContain('one/a.ts 1 14 TS2322');
    expect(inOrder(problems)).toContain('two/b.ts 2 14 TS2322');
    expect(JSON.stringify(problems)).not.toContain(app);
  });
});

test('of more than a thousand problems the rest is counted; links that lead out of the app are not followed', async () => {
  const configuration = '{ "compilerOptions": { "noEmit": true, "types": [] } }';
  const app = typedApp('native', { 'tsconfig.json': configuration, 'a.ts': '' });
  symlinkSync(appWith({ 'wrong.ts': 'const a: number = "";\n' }), join(app, 'out'));
  const content = Array.from({ length: 1201 }, (_, index) => `const n${index}: number = "";\n`).join('');
  const report = await findProblems(app, { overlay: writing('a.ts', content), allowUnjailed: 'everything' });
  expect(existsSync(join(app, 'out/wrong.ts'))).toBe(true);
  expect(report.unchecked).toBeNull();
  expect({ shown: report.problems.length, more: report.more }).toEqual({ shown: 1000, more: 201 });
  expect(report.problems.at(-1)).toMatchObject({ path: 'a.ts', line: 1000, column: 7, code: 'TS2322' });
});
