// Scripts that `auto` gives to MustardScript, in its engine and in V8: the same calls, and the same value or error.
import vm from 'node:vm';
import { decodeValue, encodeValue, limitsSchema, SandboxError } from '@mustard-sandbox/protocol';
import fc from 'fast-check';
import { chooseEngine } from '../../packages/sandbox-daemon/dist/engine/choose.js';
import { loadBinding } from '../../packages/sandbox-daemon/dist/engine/mustardscript/binding.js';
import { MustardScript } from '../../packages/sandbox-daemon/dist/engine/mustardscript/engine.js';
import { loadReadingBy, read } from '../../packages/sandbox-daemon/dist/engine/read/read.js';
import * as reading from '../../packages/sandbox-daemon/dist/engine/read/reading.js';
import { must } from '../campaign.mjs';
import { canonical } from './canonical.mjs';
import { program } from './grammar/index.mjs';
import { given, straight } from './straight.mjs';

const hostFunctions = ['lookup', 'find', 'send'];
const console_ = ['console.log', 'console.warn', 'console.error'];
const texts = new Set(['read_lines', 'find_files', 'list_files', 'pdf_text']);
const builtins = ['search', 'query', 'read_file', 'file_stats', 'read_json', 'lines', ...texts];
const limits = limitsSchema.parse({});

/** Mostly scripts of calls, of which many are chosen; of others few are. */
const script = fc.oneof({ weight: 9, arbitrary: straight }, { weight: 1, arbitrary: program });

/** @typedef {{ value: string, calls: string } | { threw: string, calls: string }} Outcome */

/**
 * @param {{ programs?: number }} options how many are made, in whole batches
 */
export function openChoosing({ programs: wanted = 100_000 }) {
  loadReadingBy(() => reading);
  const engine = new MustardScript(loadBinding());
  const tally = { tried: 0, chosen: 0, threw: 0, wrong: 0 };
  /** @param {string} source @returns {Promise<string | undefined>} what is wrong */
  const judge = async (source) => {
    const read_ = read(source);
    if ('diagnostics' in read_ || chooseEngine(read_) === 'quickjs') return undefined;
    tally.chosen++;
    const [got, expected] = [inMustardScript(engine, read_, source), await inV8(source, read_)];
    if ('threw' in got) tally.threw++;
    if (JSON.stringify(got) === JSON.stringify(expected)) return undefined;
    return `V8: ${JSON.stringify(expected)}\nMustardScript: ${JSON.stringify(got)}\n\n${source}\n`;
  };
  const check = fc.asyncProperty(script, async (source) => {
    const why = await judge(source);
    must(why === undefined, why ?? '');
  });
  const series = async ({ seed, numRuns }) => {
    const failures = [];
    for (const [at, source] of fc.sample(script, { seed, numRuns }).entries()) {
      tally.tried++;
      if ((await judge(source)) === undefined) continue;
      tally.wrong++;
      if (failures.length >= 3) continue;
      const found = await fc.check(check, { seed, path: String(at), numRuns: 1, includeErrorInReport: true });
      failures.push({ error: found.errorInstance, value: found.counterexample });
    }
    return { numRuns, failures };
  };
  const batchRuns = 1_000;
  return {
    laws: { 'what auto gives to MustardScript means the same': series },
    batchRuns,
    batches: Math.ceil(wanted / batchRuns),
    remains: async () => [],
    close: async () => engine.close(),
    programs: () => tally,
  };
}

/** What a host gives: by the number that it is asked for, of the kind that the built-in gives. */
function answerOf(name, asked) {
  const value = given[typeof asked === 'number' ? Math.abs(Math.trunc(asked)) % given.length : 7];
  if (name === 'read_file') return typeof value === 'string' ? value : 'text';
  if (texts.has(name)) return ['a.txt', '😀', 'b'].slice(0, typeof asked === 'number' ? asked & 3 : 3);
  if (name === 'search') return Array.isArray(value) ? value : [{ path: 'a', line: 1, text: 'x' }];
  if (name === 'query') return { rows: [{ n: 1, list: [1] }, { n: 2 }], truncated: false };
  if (name === 'file_stats') return { size: 5, isText: true, mtime: '2026-01-01T00:00:00Z' };
  return value;
}

/** A value is what it is as JSON when it crosses: other than that NaN and infinities stay. */
function crossing(value) {
  if (typeof value === 'function' || typeof value === 'symbol' || typeof value === 'bigint')
    throw new Error('ResultError');
  if (Object.is(value, -0)) return 0;
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return Array.from(value, (item) => crossing(item) ?? null);
  const entries = Object.entries(value).map(([key, item]) => [key, crossing(item)]);
  return Object.fromEntries(entries.filter(([, item]) => item !== undefined));
}

function inputsOf(source) {
  const first = /^\/\/ (\{.*\})\n/.exec(source)?.[1];
  if (first === undefined) return {};
  return Object.fromEntries(Object.entries(JSON.parse(first)).map(([name, number]) => [name, given[number]]));
}

/** @returns {Outcome} */
function inMustardScript(engine, read_, source) {
  const calls = [];
  const call = (name, args) => {
    calls.push([name, ...args]);
    if (name.startsWith('console.')) return { value: encodeValue(undefined, 'answer') };
    return { value: encodeValue(answerOf(name, args[0]), 'answer') };
  };
  const setup = {
    limits,
    inputs: encodeValue(inputsOf(source), 'inputs'),
    builtins: [...builtins, ...console_],
    hostFunctions,
  };
  try {
    const run = engine.prepare(read_, setup);
    try {
      const { value } = run.finish({ call, look() {} });
      return { value: canonical(decodeValue(value)), calls: canonical(calls) };
    } finally {
      run[Symbol.dispose]();
    }
  } catch (/** @type {any} */ error) {
    if (!(error instanceof SandboxError)) throw error;
    return { threw: error.details.name ?? error.code, calls: canonical(calls) };
  }
}

const context = vm.createContext({});
const names = Object.getOwnPropertyNames;
const own = new Set(names(vm.runInContext('globalThis', context)));

/** @returns {Promise<Outcome>} */
async function inV8(source, { waits }) {
  const calls = [];
  const realm = vm.runInContext('globalThis', context);
  for (const name of names(realm)) if (!own.has(name)) delete realm[name];
  const ours = (value) => (typeof value === 'object' && value !== null ? intoRealm(value) : value);
  const call =
    (name) =>
    (...args) => {
      calls.push([name, ...args.map((arg) => crossing(arg))]);
      return name.startsWith('console.') ? undefined : ours(answerOf(name, args[0]));
    };
  for (const name of [...hostFunctions, ...builtins]) realm[name] = call(name);
  realm.console = Object.fromEntries(console_.map((name) => [name.slice('console.'.length), call(name)]));
  for (const [name, value] of Object.entries(inputsOf(source))) realm[name] = ours(value);
  try {
    const result = crossing(await evaluated(source, waits));
    return { value: canonical(result), calls: canonical(calls) };
  } catch (/** @type {any} */ error) {
    return { threw: error?.message === 'ResultError' ? 'ResultError' : String(error?.name), calls: canonical(calls) };
  }
}

/** The value of the script by rules of our own for `return` and `await`, not by those that are tried. */
async function evaluated(source, waits) {
  if (!waits && !/\breturn\b/.test(source)) return vm.runInContext(`{${source}\n}`, context);
  // The last line is an expression, a `return` or an `if` with an expression.
  const lines = source.split('\n');
  const last = (lines.pop() ?? '').replace(/^if (.*) \/\*last\*\/ \{ (.*) \}$/, 'if $1 { return ($2) }');
  const end = /^(?:if|return)\b/.test(last) ? last : `return (${last.replace(/;$/, '')}\n)`;
  return await vm.runInContext(`(${waits ? 'async ' : ''}() => {${lines.join('\n')}\n${end}\n})()`, context);
}

const intoRealm = vm.runInContext(
  `(function copy(value) {
    if (typeof value !== 'object' || value === null) return value;
    if (Array.isArray(value)) return Array.from(value, copy);
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, copy(item)]));
  })`,
  context,
);
