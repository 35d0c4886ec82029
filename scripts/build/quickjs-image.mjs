// QuickJS in which the prelude has run: a module whose memory begins as the prelude left it. So no sidecar runs the
// prelude, and an instance takes only the pages that are not empty.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { daemonFolder } from './bundle-options.mjs';

/** The functions of the sidecar that prelude/host.js takes. `Switch` in stock.ts gives them to each instance. */
const hostFunctions = ['call', 'begin', 'inV8', 'failure', 'random'];

/** What the daemon calls beside the library. */
const ownCalls = join(daemonFolder, 'src/engine/quickjs/vm.ts');

const sectionIds = { custom: 0, memory: 5, exports: 7, data: 11, dataCount: 12 };
const pageBytes = 65_536;
/** So many zeros between two stretches of data cost less than the head of another stretch. */
const shortGap = 16;

/**
 * @param {string} prelude its value is an object with the functions that the engine calls
 * @returns {Promise<Buffer>} the module. Its section `image` has as JSON what the memory does not hold: the arguments of
 *   `QuickJS.restore`, and the pointers of the prelude's functions.
 */
export async function quickJSImage(prelude) {
  const require = createRequire(join(daemonFolder, 'package.json'));
  const library = require.resolve('quickjs-wasi');
  const { QuickJS } = await import(library);
  const bytes = readFileSync(require.resolve('quickjs-wasi/quickjs.wasm'));
  const vm = await QuickJS.create({ wasm: bytes, wasi: alwaysTheSame, timezoneOffset: 0 });
  const host = vm.newObject();
  for (const name of hostFunctions)
    host.setProp(
      name,
      vm.newFunction(name, () => vm.undefined),
    );
  vm.setProp(vm.global, '__host', host);
  host.dispose();
  const made = vm.evalCode(prelude, '<sandbox>');
  const names = vm.dump(vm.callFunction(vm.evalCode('Object.keys'), vm.undefined, made));
  const entries = Object.fromEntries(names.map((name) => [name, vm.exportHandle(made.getProp(name))]));
  vm.executePendingJobs();
  const { memory, stackPointer, runtimePtr, contextPtr } = vm.snapshot();
  const called = calledExports(readFileSync(library, 'utf8') + readFileSync(ownCalls, 'utf8'));
  return withMemory(withExports(bytes, called), memory, { stackPointer, runtimePtr, contextPtr, entries });
}

/** What the library and our own calls read of an instance, such as `this.exports.qjs_eval`. @param {string} source */
function calledExports(source) {
  return new Set(Array.from(source.matchAll(/\b(?:e|\w+E)xports\.(\w+)/g), ([, name]) => name));
}

/**
 * The module without the exports that nobody calls. It has 450 for native extensions, and V8 makes a function of each for
 * every instance: half of the time that an instance takes.
 *
 * @param {Uint8Array} module
 * @param {ReadonlySet<string>} called
 */
function withExports(module, called) {
  const sections = sectionsOf(module).map(({ id, content }) => {
    if (id !== sectionIds.exports) return section(id, [content]);
    const kept = exportsOf(content).filter(({ name }) => called.has(name));
    return section(id, [leb(kept.length), ...kept.map(({ bytes }) => bytes)]);
  });
  return Buffer.concat([module.subarray(0, 8), ...sections]);
}

/** @param {Uint8Array} content of the section */
function exportsOf(content) {
  const { value: count, end: first } = readLeb(content, 0);
  const found = [];
  for (let at = first; found.length < count;) {
    const { value: length, end: nameAt } = readLeb(content, at);
    // A byte for its kind and a number follow the name.
    const { end } = readLeb(content, nameAt + length + 1);
    const name = Buffer.from(content.subarray(nameAt, nameAt + length)).toString();
    found.push({ name, bytes: content.subarray(at, end) });
    at = end;
  }
  return found;
}

/** One source gives one image: the engine asks for the time and for random numbers, though nothing of them stays. */
function alwaysTheSame(memory) {
  return {
    random_get: (pointer, length) => (new Uint8Array(memory.buffer, pointer, length).fill(1), 0),
    clock_time_get: (_clock, _precision, pointer) => (new DataView(memory.buffer).setBigUint64(pointer, 0n, true), 0),
  };
}

/**
 * The module with another memory to begin with.
 *
 * @param {Uint8Array} module
 * @param {Uint8Array} memory
 * @param {object} image
 */
function withMemory(module, memory, image) {
  const { custom, memory: memories, data, dataCount } = sectionIds;
  const kept = sectionsOf(module).filter(({ id }) => id !== data && id !== dataCount);
  const made = kept.map(({ id, content }) =>
    id === memories ? section(id, [leb(1), Buffer.from([0]), leb(memory.length / pageBytes)]) : section(id, [content]),
  );
  const stretches = stretchesOf(memory);
  const contents = stretches.flatMap(({ start, end }) => [
    // An active segment of the first memory: its place as a constant, its length, its bytes.
    Buffer.from([0, 0x41]),
    signedLeb(start),
    Buffer.from([0x0b]),
    leb(end - start),
    memory.subarray(start, end),
  ]);
  const name = Buffer.from('image');
  return Buffer.concat([
    module.subarray(0, 8),
    ...made,
    section(data, [leb(stretches.length), ...contents]),
    section(custom, [leb(name.length), name, Buffer.from(JSON.stringify(image))]),
  ]);
}

/** @param {Uint8Array} module */
function sectionsOf(module) {
  const found = [];
  for (let at = 8; at < module.length;) {
    const id = module[at];
    const { value: length, end: start } = readLeb(module, at + 1);
    found.push({ id, content: module.subarray(start, start + length) });
    at = start + length;
  }
  return found;
}

/** Where the memory is not zero. @param {Uint8Array} memory */
function stretchesOf(memory) {
  const stretches = [];
  let last;
  for (let at = 0; at < memory.length; at++) {
    if (memory[at] === 0) continue;
    if (last !== undefined && at - last.end <= shortGap) last.end = at + 1;
    else stretches.push((last = { start: at, end: at + 1 }));
  }
  return stretches;
}

/** @param {number} id @param {Uint8Array[]} parts */
function section(id, parts) {
  const content = Buffer.concat(parts);
  return Buffer.concat([Buffer.from([id]), leb(content.length), content]);
}

/** WebAssembly's way to write an unsigned number. @param {number} value */
function leb(value) {
  const bytes = [];
  for (; value > 0x7f; value >>>= 7) bytes.push((value & 0x7f) | 0x80);
  return Buffer.from([...bytes, value]);
}

/** And a signed one, of which only those from 0 on occur here. @param {number} value */
function signedLeb(value) {
  const bytes = [];
  for (; value > 0x3f; value >>>= 7) bytes.push((value & 0x7f) | 0x80);
  return Buffer.from([...bytes, value]);
}

/** @param {Uint8Array} bytes @param {number} at */
function readLeb(bytes, at) {
  let value = 0;
  for (let shift = 0; ; shift += 7) {
    const byte = bytes[at++];
    value |= (byte & 0x7f) << shift;
    if (byte < 0x80) return { value: value >>> 0, end: at };
  }
}
