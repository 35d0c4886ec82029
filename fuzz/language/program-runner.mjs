import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { trackProcess } from '../../stress/sandboxes.mjs';

/** Far more than any program takes that ends; a machine that is busy must not look like a hang. */
const batchMs = 300_000;
const singleMs = 10_000;

/** A child process that runs programs, and is started again when it died or does not answer. */
export class ProgramRunner {
  #child;
  #file;
  #arguments;
  /** One request after another: an answer does not say what it answers. @type {Promise<unknown>} */
  #last = Promise.resolve();

  /**
   * @param {string} file beside this one
   * @param {{ programMs?: number }} options after how long V8 ends a program
   */
  constructor(file, { programMs } = {}) {
    this.#file = fileURLToPath(new URL(file, import.meta.url));
    this.#arguments = programMs === undefined ? [] : [String(programMs)];
  }

  /**
   * What came of each. A program that takes the child down, or does not end, is `{ died }`.
   *
   * @param {string[]} sources
   * @param {{ shared?: boolean }} options `shared`: all of them in one context of V8, which is some times as fast
   * @returns {Promise<any[]>}
   */
  run(sources, { shared = false } = {}) {
    const outcomes = this.#last.then(() => this.#runNow(sources, shared));
    this.#last = outcomes.catch(() => {});
    return outcomes;
  }

  async #runNow(sources, shared) {
    const outcomes = await this.#ask({ sources, shared }, sources.length === 1 ? singleMs : batchMs);
    if (Array.isArray(outcomes)) return outcomes;
    if (sources.length === 1) return [{ died: outcomes.died }];
    const each = [];
    for (const source of sources) each.push(...(await this.#runNow([source], false)));
    return each;
  }

  close() {
    this.#child?.kill('SIGKILL');
    this.#child = undefined;
  }

  #ask(message, ms) {
    const child = (this.#child ??= this.#start());
    return new Promise((resolve) => {
      const settle = (answer) => {
        clearTimeout(timer);
        child.removeAllListeners();
        if (!Array.isArray(answer)) this.close();
        resolve(answer);
      };
      const timer = setTimeout(() => settle({ died: 'it did not answer' }), ms);
      child.once('message', settle);
      child.once('exit', (code, signal) => settle({ died: `it ended by ${signal ?? code}` }));
      child.once('error', (error) => settle({ died: error.message }));
      child.send(message);
    });
  }

  #start() {
    const env = { TZ: 'UTC', LANG: 'en_US.UTF-8', LC_ALL: 'en_US.UTF-8' };
    const child = fork(this.#file, this.#arguments, { env, stdio: ['ignore', 'ignore', 'ignore', 'ipc'] });
    if (child.pid !== undefined) trackProcess(child.pid);
    return child;
  }
}
