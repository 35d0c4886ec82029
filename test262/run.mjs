import { TestProcess } from './children.mjs';
import { explanationFor } from './documented.mjs';
import { groupOf } from './groups.mjs';
import { hasPassed, judge } from './judge.mjs';
import { forSandbox, forV8 } from './scripts.mjs';
import { readTest } from './tests.mjs';

/** So many go to a child process at once; each is answered by itself. */
const batchSize = 40;

/** @typedef {import('./tests.mjs').Test} Test */
/** @typedef {import('./judge.mjs').Outcome} Outcome */
/** @typedef {import('./judge.mjs').Verdict & { file: string, group?: string }} Result */

/** Runs tests in V8 and in the sandbox. */
export class Runner {
  #v8 = new TestProcess('v8-child.mjs');
  #engine = new TestProcess('engine-child.mjs');
  #root;

  /** @param {string} root of the package */
  constructor(root) {
    this.#root = root;
  }

  /**
   * @param {string[]} files
   * @param {{ tell?: (done: number) => void, signal?: AbortSignal }} [options]
   * @returns {Promise<Result[]>}
   */
  async run(files, { tell = () => {}, signal } = {}) {
    /** @type {Result[]} */
    const results = [];
    for (let at = 0; at < files.length; at += batchSize) {
      if (signal?.aborted) break;
      const tests = files.slice(at, at + batchSize).map((file) => readTest(this.#root, file));
      results.push(...(await this.judgeAll(tests)));
      tell(results.length);
    }
    return results;
  }

  close() {
    this.#v8.close();
    this.#engine.close();
  }

  /** @param {Test[]} tests @returns {Promise<Result[]>} */
  async judgeAll(tests) {
    const [wanted, got] = await Promise.all([
      this.#v8.run(tests.map((test) => forV8(this.#root, test))),
      this.#engine.run(tests.map((test) => forSandbox(this.#root, test))),
    ]);
    /** @type {Result[]} */
    const results = [];
    for (const [at, test] of tests.entries()) {
      const group = groupOf(test)?.id;
      const verdict = await this.#judgeOne(test, wanted[at], got[at]);
      results.push({ file: test.file, ...(group !== undefined && { group }), ...verdict });
    }
    return results;
  }

  /** @param {Test} test @param {Outcome} wanted @param {Outcome} got */
  async #judgeOne(test, wanted, got) {
    if (!hasPassed(wanted, test)) return /** @type {const} */ ({ verdict: 'invalid', why: wordsOf(wanted) });
    const verdict = judge(test, got);
    if (verdict.verdict !== 'wrong') return verdict;
    const id = await explanationFor(test, (source) => this.#agree({ ...test, source }));
    return { ...verdict, ...(id !== undefined && { id }) };
  }

  /** Whether V8 and the sandbox come to the same. @param {Test} test */
  async #agree(test) {
    const [[wanted], [got]] = await Promise.all([
      this.#v8.run([forV8(this.#root, test)]),
      this.#engine.run([forSandbox(this.#root, test)]),
    ]);
    return hasPassed(wanted, test) === hasPassed(got, test);
  }
}

/** @param {Outcome} outcome */
function wordsOf(outcome) {
  return 'message' in outcome ? outcome.message : 'died' in outcome ? outcome.died : 'it has to fail, and does not';
}
