import { accessSync, constants, cpSync, mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { loadCompiler } from '../../packages/code-mode/src/check/process/compiler.ts';

const require = createRequire(import.meta.url);
const hosts = {
  7: import.meta.url,
  // What another of our dependencies brings along.
  5: createRequire(require.resolve('@arethetypeswrong/cli/package.json')).resolve('@arethetypeswrong/core'),
};
const declarations = 'declare var tools: { search(input: { repo: string; limit?: number }): Promise<any>; };';

test.each(Object.entries(hosts))('TypeScript %s finds what is wrong, again and again', async (_, host) => {
  const compile = await loadCompiler(host);
  const codes = (script: string): [number, number][] => compile(declarations, script).map(({ code, at }) => [code, at]);
  expect(codes(`await tools.search({ repo: 'a', limit: 'x' }); await tools.serch({})`)).toEqual([
    [2322, 32],
    [2551, 59],
  ]);
  expect(codes(`await tools.search({ repo: 'a' })`)).toEqual([]);
  expect(codes(`await tools.search()`)).toEqual([[2554, 12]]);
  expect(compile('declare var tools: { other(): void };', `tools.other()`)).toEqual([]);
});

test('a host without TypeScript is told', async () => {
  await expect(loadCompiler('/nowhere/index.js')).rejects.toThrow(/typescript/);
});

const mayWriteAtTheTop = (() => {
  try {
    accessSync('/', constants.W_OK);
    return process.platform !== 'win32';
  } catch {
    return false;
  }
})();

// The files to check were in a folder of this name, so that no file of the compiler was found in a project below one.
test.skipIf(!mayWriteAtTheTop)('TypeScript of a project that lies in /check finds its library', async () => {
  const project = mkdtempSync('/check');
  onTestFinished(() => rmSync(project, { recursive: true }));
  const typescript = dirname(require.resolve('typescript/package.json'));
  const native = `@typescript/typescript-${process.platform}-${process.arch}`;
  const modules = join(project, 'node_modules');
  cpSync(typescript, join(modules, 'typescript'), { recursive: true });
  const program = dirname(createRequire(join(typescript, 'package.json')).resolve(`${native}/package.json`));
  cpSync(program, join(modules, native), { recursive: true });
  const compile = await loadCompiler(join(project, 'index.js'));
  expect(compile(declarations, `const all = []; all.push(await tools.search({ repo: 'a' }));`)).toEqual([]);
});
