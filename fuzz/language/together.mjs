// Runs many programs as one script of the engine. Each is rewritten by itself, as the sidecar does; only what the engine
// gets of them is put together, so that their helpers, which are most of it, are compiled once.
import { runInProcess, runParams } from '../../bench/peers/engine.mjs';
import { Engine } from '../../packages/sandbox-daemon/dist/engine/engine.js';
import { loadBinding } from '../../packages/sandbox-daemon/dist/engine/binding.js';
import { lower } from '../../packages/sandbox-daemon/dist/lowering/index.js';
import { operate } from '../../packages/sandbox-daemon/dist/lowering/operations.js';
import { globals, helpers } from '../../packages/sandbox-daemon/dist/lowering/rules/index.js';
import { decodeValue, SandboxError } from '../../packages/sandbox-daemon/dist/protocol/index.js';
import { canonical } from './canonical.mjs';
import { returning } from './returning.mjs';

/** So many are one script: with more, the programs themselves are what takes time. */
const most = 64;
/** Below the limit of a script, with room for what is written around the programs. */
const mostText = 110_000;
/** So many outcomes leave the script at once: each time the engine writes down all that it has. */
const outcomesAtOnce = 16;
/** Of all of them. What is not a value is judged by a run of its own. */
const limits = { timeoutMs: 60_000, instructions: 640_000_000, allocations: 5_000_000, scriptBytes: 131_072 };

/** The text of a helper depends on the script: which helper each text is. @type {Map<string, any>} */
const helperOf = new Map();
for (const helper of helpers) {
  const { code } = helper;
  if (typeof code === 'string') helperOf.set(`${code.trim()}\n`, helper);
  else {
    helper.code = (facts) => {
      const text = code(facts);
      helperOf.set(`${text.trim()}\n`, helper);
      return text;
    };
  }
}

/** By how they begin: what a text starts with need not be compared with each of them. @type {Map<string, string[]>} */
const textsByStart = new Map();
let indexed = 0;
const startLength = 20;

function textsFrom(start) {
  for (const text of indexed < helperOf.size ? [...helperOf.keys()].slice(indexed) : []) {
    const key = text.slice(0, startLength);
    textsByStart.set(key, [...(textsByStart.get(key) ?? []), text]);
    indexed++;
  }
  return textsByStart.get(start) ?? [];
}

/** The helpers that a rewritten program begins with, and what is left of it. */
function partsOf(code) {
  const prelude = [];
  let at = 0;
  for (;;) {
    const text = textsFrom(code.slice(at, at + startLength)).find((each) => code.startsWith(each, at));
    if (text === undefined) return { prelude, body: code.slice(at) };
    prelude.push(text);
    at += text.length;
  }
}

// What a script is given by name; no program has such names.
const [from, atOnce, outcome] = ['fuzzFrom', 'fuzzAtOnce', 'fuzzOutcomes'];
const names = runParams({ script: '' }).scope.builtins;
const engine = new Engine({
  ...loadBinding(),
  loadFrontEnd: () => ({ lower: (code) => ({ code, warnings: [] }), operate }),
});

/** @typedef {{ index: number, body: string, prelude: string[], warnings: string[], waits: boolean }} Part */

/** Programs that may stand in one script: a helper that depends on the program must be the same for all. */
class Group {
  /** @type {Part[]} */
  parts = [];
  /** @type {Map<any, string>} */
  #texts = new Map();
  #size = 0;

  /** @param {Part} part */
  takes(part) {
    if (this.parts.length >= most || this.parts[0]?.waits !== part.waits) return false;
    if (this.#size + this.#added(part) > mostText) return false;
    return part.prelude.every((text) => (this.#texts.get(helperOf.get(text)) ?? text) === text);
  }

  /** @param {Part} part */
  add(part) {
    this.#size += this.#added(part);
    this.parts.push(part);
    for (const text of part.prelude) this.#texts.set(helperOf.get(text), text);
  }

  /** @param {Part} part */
  #added({ prelude, body }) {
    const missing = prelude.filter((text) => !this.#texts.has(helperOf.get(text)));
    return missing.reduce((sum, text) => sum + text.length, body.length);
  }
}

/** @param {string[]} sources @returns {Part[][]} */
function groupsOf(sources) {
  /** @type {Group[]} */
  const groups = [];
  // Those with many helpers are put together, so that the others need not compile them.
  for (const part of partsOfAll(sources).toSorted((one, other) => sizeOf(other) - sizeOf(one))) {
    let group = groups.find((each) => each.takes(part));
    if (group === undefined) groups.push((group = new Group()));
    group.add(part);
  }
  return groups.map(({ parts }) => parts).filter(({ length }) => length > 1);
}

/** @param {Part} part */
function sizeOf({ prelude }) {
  return prelude.reduce((sum, text) => sum + text.length, 0);
}

/** @param {string[]} sources */
function partsOfAll(sources) {
  /** @type {Part[]} */
  const parts = [];
  for (const [index, source] of sources.entries()) {
    const text = returning(source);
    const lowered = text === undefined ? undefined : lower(text, names);
    // A `return` that is not the last statement has made a function of the whole.
    if (lowered === undefined || 'failure' in lowered || lowered.code.includes('__ms_main()')) continue;
    const { prelude, body } = partsOf(lowered.code);
    const waits = /\b(?:await|async)\b/.test(body);
    // What is to come of a promise comes when the script is over, where nothing waits for it.
    if (!waits && /\bPromise\b/.test(body)) continue;
    parts.push({ index, body, prelude, warnings: lowered.warnings.map(({ id }) => id), waits });
  }
  return parts;
}

/** What the text of a global function of ours replaces. @param {string} text @returns {string[]} */
function replacedBy(text) {
  if (!globals.includes(helperOf.get(text))) return [];
  return [...text.matchAll(/^((?:globalThis|[A-Z]\w*)\.\w+) = /gm)].map(([, place]) => place);
}

/**
 * What one program has for a global function must not help another: before each of them all are as they were, but for
 * its own.
 *
 * @param {Part[]} parts
 */
function scriptOf(parts) {
  const { waits } = parts[0];
  const used = new Set(parts.flatMap(({ prelude }) => prelude));
  const texts = [...used].toSorted((one, other) => orderOf(one) - orderOf(other));
  const places = [...new Set(texts.flatMap(replacedBy))];
  const programs = parts.map(({ prelude, body }) => {
    const own = new Set(prelude.flatMap(replacedBy));
    return `[[${places.map((place) => own.has(place)).join()}], ${waits ? 'async ' : ''}function () {${body}\n}]`;
  });
  return `const fuzzNative = [${places.join()}];
${texts.join('')}const fuzzOwn = [${places.join()}];
const fuzzPrograms = [${programs.join(',\n')}];
let fuzzFound = [];
for (let index = ${from}; index < fuzzPrograms.length; index++) {
  const [own, program] = fuzzPrograms[index];
${places.map((place, at) => `  ${place} = own[${at}] ? fuzzOwn[${at}] : fuzzNative[${at}];\n`).join('')}  let result;
  try { result = { value: ${waits ? 'await ' : ''}program() }; } catch (error) { result = { threw: true }; }
  ${waits ? lastTurns : ''}
  fuzzFound[fuzzFound.length] = result;
  if (fuzzFound.length < ${atOnce} && index < fuzzPrograms.length - 1) continue;
  ${waits ? 'await ' : ''}${outcome}(fuzzFound);
  fuzzFound = [];
}`;
}

/** What promises have still to do may change the value. */
const lastTurns = 'for (let turn = 0; turn < 20; turn++) await null;';

function orderOf(text) {
  return helpers.indexOf(helperOf.get(text));
}

/** No program says more of an error than that it is one: what it says is judged where the program catches it. */
const thrown = { code: 'script_error', message: 'It threw an error.' };

/**
 * What came of each program that gave a value or threw an error; `undefined` for one that is to be run by itself.
 *
 * @param {string[]} sources
 * @returns {Promise<(import('./judge.d.mts').SandboxOutcome | undefined)[]>}
 */
export async function runTogether(sources) {
  /** @type {(import('./judge.d.mts').SandboxOutcome | undefined)[]} */
  const outcomes = sources.map(() => undefined);
  for (const parts of groupsOf(sources)) await runGroup(parts, (index, found) => (outcomes[index] = found));
  return outcomes;
}

/** @param {Part[]} parts @param {(index: number, found: import('./judge.d.mts').SandboxOutcome) => void} tell */
async function runGroup(parts, tell) {
  const script = scriptOf(parts);
  let next = 0;
  const callHost = async (_name, args) => {
    const [results] = /** @type {any} */ (decodeValue(args));
    for (const result of results) {
      const { index, warnings } = parts[next++];
      if (!('value' in result)) tell(index, thrown);
      else tell(index, { value: canonical(result.value), ...(warnings.length > 0 && { warnings }) });
    }
    return { value: { json: null } };
  };
  let isSearching = false;
  while (next < parts.length) {
    const inputs = { json: { [from]: next, [atOnce]: isSearching ? 1 : outcomesAtOnce } };
    try {
      await runInProcess({ ...runParams({ script, limits, hostFunctions: [outcome] }), inputs }, { engine, callHost });
    } catch (error) {
      if (!(error instanceof SandboxError)) throw error;
      const { code, message, details } = error;
      // One that cannot be written in a script with others has the script refused as a whole.
      if (code === 'parse_error' || code === 'unsupported_syntax' || details.limit === 'script_bytes')
        return await runHalves(parts, tell);
      if (next >= parts.length) return;
      if (!isSearching) {
        isSearching = true;
        continue;
      }
      isSearching = false;
      // Of the one that was at work; those after it go on. What it may cost is for a run of its own to say.
      if (code === 'script_error') tell(parts[next].index, { code, message, construct: details.construct });
      next++;
    }
  }
}

/** Until it is found; that one runs by itself. @param {Part[]} parts @param {Parameters<typeof runGroup>[1]} tell */
async function runHalves(parts, tell) {
  const half = Math.ceil(parts.length / 2);
  if (parts.length < 2) return;
  await runGroup(parts.slice(0, half), tell);
  await runGroup(parts.slice(half), tell);
}
