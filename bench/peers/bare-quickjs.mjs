// QuickJS as its package has it, with the built-ins by the handlers of the sidecar, and nothing else of the sandbox: no
// limits, no values that JSON has not, no words of errors. What a script costs here is what it costs in this engine.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { QuickJS } from 'quickjs-wasi';
import { Vm } from '../../packages/sandbox-daemon/dist/engine/quickjs/vm.js';
import { read, readTyped } from '../../packages/sandbox-daemon/dist/engine/read/read.js';
import { builtinNames } from '@mustard-sandbox/protocol';
import { builtinHandlers } from '../../packages/sandbox-daemon/dist/files/builtins.js';
import { openFileAccess } from '../../packages/sandbox-daemon/dist/files/index.js';
import { runParams } from './engine.mjs';

const withAwait = 1 << 7;
const { Module } = /** @type {any} */ (globalThis).WebAssembly;
const module = new Module(readFileSync(fileURLToPath(import.meta.resolve('quickjs-wasi/quickjs.wasm'))));
/** What scripts call: the sidecar's own file, with JSON for what it takes from elsewhere. */
const builtins = readFileSync(
  new URL('../../packages/sandbox-daemon/src/engine/quickjs/prelude/builtins.js', import.meta.url),
  'utf8',
).replaceAll(/^import .*$|^export (?=function)/gm, '');
const prelude = `const { parse } = JSON; const decode = parse; const encodeArguments = (args) => JSON.stringify(args.map((arg) => arg ?? {}));
${builtins}
for (const name of ${JSON.stringify(builtinNames)}) globalThis[name] = builtin(name);
globalThis.console = Object.fromEntries(['log', 'info', 'warn', 'error', 'debug'].map((name) => [name, () => {}]));`;

/** @param {{ script: string, scope?: object }} job */
export async function runBare({ script, scope }) {
  const library = await QuickJS.create({ wasm: module, timezoneOffset: 0 });
  const vm = new Vm(library);
  const files = openFileAccess(runParams({ script, scope }).scope);
  try {
    library.setProp(library.global, 'ask', library.newFunction('ask', answerer(library, vm, files)));
    vm.free(valueOf(vm, vm.evaluate(`{${prelude}}`, 'prelude', 0)));
    return JSON.parse(evaluated(vm, script));
  } finally {
    files[Symbol.dispose]();
    library.dispose();
  }
}

function answerer(library, vm, files) {
  const Handle = library.undefined.constructor;
  return (name, args) => {
    const textOf = (handle) => vm.textOf(Vm.valueOf(handle)).toString();
    const answer = builtinHandlers[textOf(name)](files, JSON.parse(textOf(args)));
    const bytes = answer.text ?? answer.lines ?? Buffer.from(JSON.stringify(answer.value.json ?? null));
    return new Handle(library, vm.newText(bytes));
  };
}

/** The result as JSON. */
function evaluated(vm, script) {
  const first = compiled(vm, read(script));
  const given = 'thrown' in first ? compiled(vm, readTyped(script)) : first;
  let value = valueOf(vm, given.value);
  let isWrapped = given.waits;
  while (vm.runJob() !== undefined);
  while (vm.isPromise(value)) {
    value = isWrapped ? vm.fieldOf(vm.resultOf(value), 'value') : vm.resultOf(value);
    isWrapped = false;
  }
  const write = valueOf(vm, vm.evaluate('(value) => JSON.stringify(value) ?? "null"', 'write', 0));
  return vm.textOf(valueOf(vm, vm.call(write, value))).toString();
}

function compiled(vm, program) {
  const given = vm.evaluate(program.code, 'script', program.waits ? withAwait : 0);
  return 'thrown' in given ? given : { value: given, waits: program.waits };
}

function valueOf(vm, given) {
  if ('value' in given) return given.value;
  throw new Error(vm.textOf(vm.fieldOf(given.thrown, 'message')).toString());
}
