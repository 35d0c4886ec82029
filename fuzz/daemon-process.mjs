import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { trackProcess } from '../stress/sandboxes.mjs';
import { frameOf } from './messages.mjs';

const main = createRequire(new URL('../packages/sandbox-client/', import.meta.url)).resolve(
  '@mustard-sandbox/daemon/main',
);

/** A real daemon, and all that it says: messages in order, and bytes that are none. */
export class DaemonProcess {
  /** @type {any[]} */
  messages = [];
  stray = '';
  stderr = '';
  /** @type {{ exitCode: number | null, signal: string | null } | undefined} */
  exit;
  // Not the environment by which the client's sidecars are known.
  #child = spawn(process.execPath, [main], { env: {} });
  #buffer = Buffer.alloc(0);
  #changed = () => {};

  constructor() {
    if (this.#child.pid !== undefined) trackProcess(this.#child.pid);
    this.#child.stdin.on('error', () => {});
    this.#child.stderr.on('data', (chunk) => (this.stderr = (this.stderr + chunk).slice(-10_000)));
    this.#child.stdout.on('data', (chunk) => {
      this.#buffer = Buffer.concat([this.#buffer, chunk]);
      this.#parse();
      this.#changed();
    });
    this.#child.on('close', (exitCode, signal) => {
      this.exit = { exitCode, signal };
      this.stray += this.#buffer.toString();
      this.#changed();
    });
  }

  get pid() {
    return this.#child.pid;
  }

  /** @param {Uint8Array} bytes */
  write(bytes) {
    this.#child.stdin.write(bytes);
  }

  /** @param {object} message */
  send(message) {
    this.write(frameOf(message));
  }

  end() {
    this.#child.stdin.end();
  }

  kill() {
    this.#child.kill('SIGKILL');
  }

  /** Whether `condition` holds in time. It is asked whenever something came. */
  async until(condition, ms) {
    const end = performance.now() + ms;
    while (!condition()) {
      const left = end - performance.now();
      if (left <= 0) return false;
      await new Promise((resolve) => {
        const timer = setTimeout(resolve, left);
        this.#changed = () => {
          clearTimeout(timer);
          resolve(undefined);
        };
      });
    }
    return true;
  }

  #parse() {
    for (;;) {
      const head = /^Content-Length: (\d+)\r\n\r\n/.exec(this.#buffer.toString('latin1', 0, 40));
      if (head === null) {
        if (this.#buffer.length > 40) this.stray = this.#buffer.toString('latin1', 0, 200);
        return;
      }
      const end = head[0].length + Number(head[1]);
      if (this.#buffer.length < end) return;
      this.messages.push(JSON.parse(this.#buffer.toString('utf8', head[0].length, end)));
      this.#buffer = this.#buffer.subarray(end);
    }
  }
}
