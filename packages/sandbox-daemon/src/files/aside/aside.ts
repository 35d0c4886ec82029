import { MessageChannel, receiveMessageOnPort, Worker, type MessagePort } from 'node:worker_threads';
import { messageOf, SandboxError, type WireValue } from '@mustard-sandbox/protocol';
import { BuiltinCall } from '../call.ts';
import type { FileAccess } from '../index.ts';
import { attachmentPrefix } from '@mustard-sandbox/paths';
import { setFlagsAgain } from '../../v8-flags.ts';
import { words, type AsideAnswer, type AsideCall, type AsideData, type AsideEnd, type AsideName } from './messages.ts';

/** How often the main thread checks, while it waits, whether its run is over, in ms. */
const lookMs = 5;

/**
 * How long a call may take to end after its run is over, in ms. pdf.js may be in a loop that only the end of its thread
 * ends. That end must come within the client's grace, so that the sidecar survives. The memory of DuckDB must be free
 * before anything else runs: DuckDB is interrupted, and if it does not end in time, the client ends the sidecar.
 */
const endMs: Record<AsideName, number> = {
  pdf_text: 40,
  profile: 10_000,
  query: 10_000,
  read_data: 40,
  read_sheet: 40,
};

interface Thread {
  worker: Worker;
  port: MessagePort;
  state: Int32Array;
  calls: number;
}

/**
 * Calls built-ins whose libraries give promises. A thread runs them, and the main thread waits without turning its
 * event loop. The thread starts with the first call, and is kept.
 */
export class Aside {
  readonly #program: URL;
  #thread: Thread | undefined;
  #hasDuckDB = false;

  /** @param program the bundle of `thread.ts` */
  constructor(program: URL) {
    this.#program = program;
  }

  /** Whether DuckDB may be in the memory of this process. */
  get hasDuckDB(): boolean {
    return this.#hasDuckDB;
  }

  /** @throws {SandboxError} the error of the built-in; `timeout` and `cancelled` from the pace of the run */
  call(access: FileAccess, name: AsideName, args: readonly unknown[]): WireValue {
    const thread = this.#started(new BuiltinCall(name, name === 'query' ? undefined : args[0]));
    const number = thread.calls + 1;
    const { budget, files } = access;
    const { tree, attachments } = files;
    const call: AsideCall = { number, name, args, files: { tree, attachments }, budget };
    thread.port.postMessage(call);
    thread.calls = number;
    try {
      while (!isAnswered(thread, number, lookMs)) access.pace.check();
    } catch (error) {
      Atomics.store(thread.state, words.stopped, number);
      if (isAnswered(thread, number, endMs[name])) this.#take(thread, name, access);
      else this.#leave(thread, name);
      throw error;
    }
    return valueOf(this.#take(thread, name, access));
  }

  #started(call: BuiltinCall): Thread {
    if (this.#thread !== undefined && Atomics.load(this.#thread.state, words.ended) === 0) return this.#thread;
    const shared = new SharedArrayBuffer(4 * Object.keys(words).length);
    const { port1: port, port2 } = new MessageChannel();
    const workerData: AsideData = { port: port2, shared };
    try {
      // The output of a library stays in its thread. The main thread would write it among the frames on stdout.
      const options = { workerData, transferList: [port2], stdout: true, stderr: true };
      setFlagsAgain();
      const worker = new Worker(this.#program, options);
      // The thread reports by itself how it ended. Without a listener, the error would end the process.
      worker.on('error', () => {}).unref();
      this.#thread = { worker, port, state: new Int32Array(shared), calls: 0 };
      return this.#thread;
    } catch (error) {
      throw call.failed('NotAvailableError', `the machine has no thread for it (${messageOf(error)})`);
    }
  }

  /** Applies to the run what the call did to it, however the call ended. */
  #take(thread: Thread, name: AsideName, access: FileAccess): AsideEnd {
    const answer = receiveMessageOnPort(thread.port)?.message as AsideAnswer | undefined;
    // No run may ever get the answer to a call of another one.
    if (answer?.number !== thread.calls) {
      this.#leave(thread, name);
      throw new Error(`The answer to a call of ${name} was lost.`);
    }
    const { end, budget, attachmentsRead, cutShort, hasDuckDB } = answer;
    this.#hasDuckDB ||= hasDuckDB;
    access.budget.used = budget.used;
    if (budget.reached !== undefined) access.budget.reached = budget.reached;
    for (const name of attachmentsRead) access.markRead(attachmentPrefix + name);
    for (const name of cutShort) access.cutShort.add(name);
    return end;
  }

  /** Leaves the thread, which ends as soon as it is out of the code of its library. */
  #leave({ worker, port }: Thread, name: AsideName): void {
    if (name === 'query' || name === 'profile') this.#hasDuckDB = true;
    this.#thread = undefined;
    port.close();
    void worker.terminate();
  }
}

function valueOf(end: AsideEnd): WireValue {
  if ('json' in end) return JSON.parse(end.json) as WireValue;
  if ('fault' in end) throw new Error(end.fault);
  const { code, message, details } = end.error;
  throw new SandboxError(code, message, { details });
}

/** Waits for the answer, for at most `ms`. */
function isAnswered({ state }: Thread, number: number, ms: number): boolean {
  const until = performance.now() + ms;
  for (let leftMs = ms; leftMs > 0; leftMs = until - performance.now()) {
    Atomics.wait(state, words.answered, number - 1, leftMs);
    // The result of `wait` does not decide, because on a busy machine the thread may report the start of the call only
    // now.
    if (Atomics.load(state, words.answered) === number) return true;
  }
  return false;
}

/** The one instance of the sidecar. The bundle of the thread lies beside that of the sidecar. */
export const aside = new Aside(new URL('./aside-thread.cjs', import.meta.url));
