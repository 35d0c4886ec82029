import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const path = fileURLToPath(new URL('../../../packages/sandbox-daemon/dist/quickjs.wasm', import.meta.url));

/** Node has it; the types of a page declare it, and these are not here. */
interface Compiler {
  WebAssembly: { Module: { new (bytes: Uint8Array): object; exports(module: object): { name: string }[] } };
}
const { Module } = (globalThis as unknown as Compiler).WebAssembly;

test('the module exports what is called, and not the 400 functions for native extensions', () => {
  const names = Module.exports(new Module(readFileSync(path))).map(({ name }) => name);
  expect(names).toEqual(expect.arrayContaining(['memory', 'qjs_eval', 'qjs_is_string', 'wasm_malloc']));
  expect(names.filter((name) => name.startsWith('JS_'))).toEqual([]);
  expect(names.length).toBeLessThan(100);
});
