import type { ChildProcess } from 'node:child_process';
import { createRequire } from 'node:module';
import type { Readable, Writable } from 'node:stream';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { startProcess } from '@mustard-sandbox/client/isolation';
import type { CheckAnswer, CheckRequest } from './process/messages.ts';

/** How long a check may take before it is given up, in ms. The first one loads the compiler. */
const mostMs = { first: 10_000, next: 2_000 };
/** After this many checks in a row without an answer, no more are made. */
const mostFailures = 3;
const heapMb = 512;

/** How long the process stays after its last use, in ms, because the host may make its next tool at once. */
const idleMs = 2_000;

type Answer = Exclude<CheckAnswer, { failed: string }>;

interface Running {
  child: ChildProcess;
  isWarm: boolean;
  /** Takes the answer of the present check. */
  answer?: ((answer: CheckAnswer | undefined) => void) | undefined;
}

/**
 * TypeScript in a process of its own, which starts with the first check. All tools of a host share it, because it takes
 * 150 MB.
 */
class Compiler {
  #running: Running | undefined;
  #last: Promise<unknown> = Promise.resolve();
  #users = 0;
  #idle: NodeJS.Timeout | undefined;

  use(): void {
    this.#users++;
    clearTimeout(this.#idle);
  }

  release(): void {
    if (--this.#users === 0) this.#idle = setTimeout(() => this.#end(this.#running), idleMs).unref();
  }

  /** Checks run one after the other, so that no check uses up the time of another. */
  async check(request: CheckRequest): Promise<CheckAnswer | undefined> {
    const answer = this.#last.then(() => this.#ask(request));
    this.#last = answer;
    return answer;
  }

  async #ask(request: CheckRequest): Promise<CheckAnswer | undefined> {
    if (this.#users === 0) return undefined;
    const running = (this.#running ??= this.#start());
    if (running === undefined) return undefined;
    const timer = setTimeout(() => this.#end(running), running.isWarm ? mostMs.next : mostMs.first);
    try {
      const answer = await new Promise<CheckAnswer | undefined>((resolve) => {
        running.answer = resolve;
        (running.child.stdin as Writable).write(`${JSON.stringify(request)}\n`);
      });
      running.isWarm = true;
      return answer;
    } finally {
      clearTimeout(timer);
    }
  }

  #start(): Running | undefined {
    const own = fileURLToPath(import.meta.url);
    // It is found by its name in the package, because this file may run from source, and the process only as it was
    // built.
    const program = createRequire(own).resolve('#type-checker');
    const command = [process.execPath, `--max-old-space-size=${heapMb}`, program, own];
    const env = { GOMEMLIMIT: `${heapMb}MiB` };
    // It has a process group of its own, because TypeScript 7 is a second process.
    const options = { env, cwd: '/', stdio: ['pipe', 'pipe', 'ignore'] as ['pipe', 'pipe', 'ignore'], detached: true };
    const child = startProcess(command, options, () => {});
    if (child === undefined) return undefined;
    const running: Running = { child, isWarm: false };
    createInterface({ input: child.stdout as Readable }).on('line', (line) => running.answer?.(parsed(line)));
    child.once('close', () => this.#end(running));
    // A process that has ended does not read its input.
    child.stdin?.on('error', () => {});
    // The process must not keep its host from ending.
    for (const each of [child, child.stdin, child.stdout] as { unref?: () => void }[]) each.unref?.();
    return running;
  }

  #end(running: Running | undefined): void {
    if (running === undefined) return;
    if (this.#running === running) this.#running = undefined;
    kill(running.child);
    running.answer?.(undefined);
  }
}

const compiler = new Compiler();

/** Checks scripts for one tool. */
export class TypeChecker {
  #failures = 0;
  #isClosed = false;

  constructor() {
    compiler.use();
  }

  /** @returns `undefined` when there is no answer, because TypeScript is not installed or was too slow */
  async check(request: CheckRequest): Promise<Answer | undefined> {
    if (this.#isClosed || this.#failures >= mostFailures) return undefined;
    const answer = await compiler.check(request);
    const isAnswer = answer !== undefined && !('failed' in answer);
    this.#failures = isAnswer ? 0 : this.#failures + 1;
    return isAnswer ? answer : undefined;
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    compiler.release();
  }
}

function parsed(line: string): CheckAnswer | undefined {
  try {
    return JSON.parse(line) as CheckAnswer;
  } catch {
    return undefined;
  }
}

function kill({ pid }: ChildProcess): void {
  if (pid === undefined) return;
  try {
    process.kill(process.platform === 'win32' ? pid : -pid, 'SIGKILL');
  } catch {
    // The whole group has ended.
  }
}
