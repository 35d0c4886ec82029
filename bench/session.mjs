import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { removeBundles } from './peers/bundle.mjs';
import { isLogSize, makeLog } from '../scripts/make-log.mjs';

const program = fileURLToPath(new URL('measure-one.mjs', import.meta.url));
const logMegabytes = 80;
/** Far more than any of them takes. */
const hangMs = 5 * 60_000;

/**
 * Measures figures one after another, each in a fresh process: what one leaves behind (a heap full of garbage, a
 * peer's addon, its crash) is not in the next one's way.
 */
export class Session {
  #folder = mkdtempSync(join(tmpdir(), 'mustard-bench-'));
  #log = '';
  #quick;
  #progress;
  #child;
  #abort = new AbortController();

  /** @param {{ quick: boolean, progress: (text: string) => void }} options */
  constructor({ quick, progress }) {
    this.#quick = quick;
    this.#progress = progress;
  }

  /**
   * @param {string} name
   * @returns {Promise<any>} what its `measure` gives
   */
  async measure(name) {
    this.#abort.signal.throwIfAborted();
    const folder = mkdtempSync(join(this.#folder, `${name}-`));
    this.#log ||= await this.#makeLog();
    try {
      return await this.#inChild(name, { quick: this.#quick, log: this.#log, folder });
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }

  /** Ends what is under way and removes what it wrote. May be called at any time. */
  async close() {
    this.#abort.abort();
    if (this.#child !== undefined) {
      const gone = once(this.#child, 'exit');
      this.#child.kill('SIGKILL');
      await gone;
    }
    rmSync(this.#folder, { recursive: true, force: true });
    removeBundles();
  }

  async #inChild(name, setting) {
    // isolated-vm needs it from Node 20 on.
    const child = fork(program, { execArgv: ['--no-node-snapshot'], serialization: 'advanced' });
    this.#child = child;
    const timer = setTimeout(() => child.kill('SIGKILL'), hangMs);
    let result;
    child.on('message', (received) => {
      const message = /** @type {{ progress: string } | { result: unknown }} */ (received);
      if ('progress' in message) this.#progress(`${name}: ${message.progress}`);
      else result = message.result;
    });
    child.send({ name, setting });
    const [code, signal] = await once(child, 'exit');
    clearTimeout(timer);
    this.#child = undefined;
    if (result === undefined) throw new Error(`Measuring ${name} ended with ${signal ?? `exit code ${code}`}.`);
    return result;
  }

  /** Made once and kept beside the demo's: the bytes are always the same. */
  async #makeLog() {
    const folder = fileURLToPath(new URL('../.demo/', import.meta.url));
    const path = join(folder, 'bench.log');
    mkdirSync(folder, { recursive: true });
    const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
    if (isLogSize(size, logMegabytes)) return path;
    this.#progress(`writing a log of ${logMegabytes} MB`);
    await makeLog(path, { megabytes: logMegabytes, signal: this.#abort.signal });
    return path;
  }
}
