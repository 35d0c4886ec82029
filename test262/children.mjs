import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { trackProcess } from '../stress/sandboxes.mjs';

/** Far more than any test takes that ends; a machine that is busy must not look like a hang. */
const silenceMs = 20_000;

/** A child process that runs tests, one after another, and is started again when one takes it down or does not end. */
export class TestProcess {
  #child;
  #file;
  #isClosed = false;

  /** @param {string} file beside this one */
  constructor(file) {
    this.#file = fileURLToPath(new URL(file, import.meta.url));
  }

  /**
   * What came of each, in their order; `{ died }` of one that did not end, or took the child with it.
   *
   * @param {unknown[]} tests
   * @returns {Promise<import('./judge.mjs').Outcome[]>}
   */
  async run(tests) {
    /** @type {import('./judge.mjs').Outcome[]} */
    const outcomes = [];
    while (outcomes.length < tests.length) {
      if (this.#isClosed) throw new Error('The tests were interrupted.');
      const died = await this.#runSome(tests.slice(outcomes.length), outcomes);
      if (died !== undefined) outcomes.push({ died });
    }
    return outcomes;
  }

  close() {
    this.#isClosed = true;
    this.#end();
  }

  #end() {
    this.#child?.kill('SIGKILL');
    this.#child = undefined;
  }

  /** @returns {Promise<string | undefined>} why it did not come to their end */
  #runSome(tests, outcomes) {
    const child = (this.#child ??= this.#start());
    const last = outcomes.length + tests.length;
    return new Promise((resolve) => {
      const settle = (died) => {
        clearTimeout(timer);
        child.removeAllListeners();
        if (died !== undefined) this.#end();
        resolve(died);
      };
      const timer = setTimeout(() => settle('it did not end'), silenceMs);
      child.on('message', (outcome) => {
        timer.refresh();
        outcomes.push(outcome);
        if (outcomes.length === last) settle();
      });
      child.once('exit', (code, signal) => settle(`its process ended by ${signal ?? code}`));
      child.once('error', (error) => settle(error.message));
      child.send(tests);
    });
  }

  #start() {
    const env = { TZ: 'UTC', LANG: 'en_US.UTF-8', LC_ALL: 'en_US.UTF-8' };
    const child = fork(this.#file, { env, stdio: ['ignore', 'ignore', 'ignore', 'ipc'] });
    if (child.pid !== undefined) trackProcess(child.pid);
    return child;
  }
}
