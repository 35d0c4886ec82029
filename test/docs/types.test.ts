import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as agentTool from '@mustard-sandbox/agent-tool';
import { execa } from 'execa';
import { expect, onTestFinished, test } from 'vitest';
import { blocksOf, readmes, root } from './blocks.ts';

/** Their examples are scripts for the sandbox, whose language is not TypeScript. */
const ofScripts = new Set(['language.md', 'fast-scripts.md', 'recipes.md']);
const pages = readdirSync(join(root, 'docs')).filter((name) => name.endsWith('.md') && !ofScripts.has(name));

/** The examples by the file they are checked as: `PAGE_LINE.mts` or `.mjs`. */
function examplesOf(page: string): [file: string, code: string][] {
  const blocks = blocksOf(page).filter(({ language, mark }) => language === 'js' && !mark?.startsWith('not run'));
  const setup = blocks.find(({ mark }) => mark === 'before each example')?.code ?? '';
  return blocks
    .filter(({ mark }) => mark === undefined)
    .map(({ code, line }) => {
      // The examples of that page are checked as what they are, because they fill lists that begin empty.
      const extension = page === 'agent-tool.md' ? 'mjs' : 'mts';
      const name = `${page.replaceAll(/[^\w-]+/g, '_')}_${line}.${extension}`;
      return [name, `${page === 'agent-tool.md' ? importsFor(code) : setup}\n${code}\nexport {};\n`];
    });
}

/** The examples of that page go on from each other: what one does not import, one before it has. */
function importsFor(code: string): string {
  if (code.includes("'@mustard-sandbox/agent-tool'")) return '';
  const declared = new Set([...code.matchAll(/const \{ (.+) \} =/g)].flatMap(([, names]) => names?.split(', ')));
  const used = Object.keys(agentTool).filter((name) => new RegExp(`\\b${name}\\b`).test(code));
  const names = used.filter((name) => !declared.has(name));
  return `import { ${names.join(', ')} } from '@mustard-sandbox/agent-tool';`;
}

const compilerOptions = {
  target: 'es2023',
  lib: ['es2023', 'esnext.disposable'],
  module: 'nodenext',
  types: ['node'],
  strict: true,
  allowJs: true,
  checkJs: true,
  // They are JavaScript as well, in which a parameter cannot say its type.
  noImplicitAny: false,
  noEmit: true,
  skipLibCheck: true,
  isolatedModules: true,
};

/** What the compiler says about these files, which see the packages as an application does. */
async function check(files: Map<string, string>): Promise<string> {
  const cache = join(root, 'node_modules/.cache');
  mkdirSync(cache, { recursive: true });
  const folder = mkdtempSync(join(cache, 'examples-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const [name, code] of files) writeFileSync(join(folder, name), code);
  cpSync(join(root, 'test/docs/fixtures/agent-tool-prelude.d.mts'), join(folder, 'prelude.d.mts'));
  // The model of a reader, which the page has in a file beside the example.
  writeFileSync(join(folder, 'model.d.ts'), "export const model: import('ai').LanguageModel;\n");
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['.'] }));
  const tsc = join(root, 'node_modules/typescript/bin/tsc');
  return (await execa(process.execPath, [tsc, '-p', '.'], { cwd: folder, reject: false })).stdout;
}

test('every example is strict TypeScript', async () => {
  const files = new Map(['../README.md', ...readmes, ...pages].flatMap(examplesOf));
  expect(files.size).toBeGreaterThan(30);
  expect(await check(files)).toBe('');
});

test('an example that is not would be seen', async () => {
  const files = new Map([
    ['property.mts', 'import { createSandbox } from "@mustard-sandbox/client";\ncreateSandbox().nothing;\n'],
    ['option.mts', 'import { createSandbox } from "@mustard-sandbox/client";\ncreateSandbox({ spare: 1 });\n'],
  ]);
  expect(await check(files)).toMatch(/option\.mts\(2,17\): error TS[^]*property\.mts\(2,17\): error TS2339/);
});
