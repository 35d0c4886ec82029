import { oneLine, withoutPaths, type CrashReason } from '@mustard-sandbox/protocol';

export interface Exit {
  exitCode: number | undefined;
  signal: string | undefined;
  /** The last lines that the process wrote to stderr. */
  stderr: string;
}

const outOfMemory =
  /memory allocation of \d+ bytes failed|out of memory|heap out of memory|bad_alloc|Cannot allocate memory/i;
const stackOverflow = /has overflowed its stack|stack overflow/i;

/** Windows has no signals, and reports such ends as exit codes (NTSTATUS). */
const windowsExits = new Map<number, CrashReason>([
  [0xc00000fd, 'stack_overflow'],
  [0xc0000005, 'stack_overflow'],
  [0xc0000409, 'abort'],
  [0xc0000017, 'out_of_memory'],
]);

/** Why a process ended, judged by its signal, its exit code and the end of its stderr. */
export function crashReason({ exitCode, signal, stderr }: Exit): CrashReason {
  if (outOfMemory.test(stderr)) return 'out_of_memory';
  if (stackOverflow.test(stderr)) return 'stack_overflow';
  // The known cause of SIGSEGV and SIGBUS in the engine is native recursion that hits the guard page of the stack.
  if (signal === 'SIGSEGV' || signal === 'SIGBUS') return 'stack_overflow';
  if (signal === 'SIGABRT' || signal === 'SIGTRAP' || signal === 'SIGILL') return 'abort';
  if (signal !== undefined) return 'killed';
  return windowsExits.get((exitCode ?? 0) >>> 0) ?? 'exit';
}

const explanations: Record<CrashReason, string> = {
  out_of_memory: 'ran out of memory',
  stack_overflow: 'overflowed its stack',
  abort: 'aborted',
  killed: 'was killed',
  exit: 'exited',
};

const advice: Record<CrashReason, string> = {
  out_of_memory: 'Build smaller strings and arrays, read in ranges, or raise memoryBytes.',
  stack_overflow: 'Nest less deeply, or turn the recursion into a loop.',
  abort: 'The script hit a fault of the engine. Write it differently.',
  killed: 'Something outside the sandbox killed it. The run was not repeated: run it again if that is safe.',
  exit: 'The run was not repeated: run it again if that is safe.',
};

/** A sentence such as `The sidecar ran out of memory (SIGABRT)`, without a full stop. */
export function describeExit(exit: Exit): string {
  const how = exit.signal ?? `exit code ${exit.exitCode ?? 'unknown'}`;
  return `The sidecar ${explanations[crashReason(exit)]} (${how})`;
}

export function crashAdvice(reason: CrashReason): string {
  return advice[reason];
}

const keptStderrBytes = 4096;

/** A line of the stack that Node, V8 or the engine's runtime prints when it gives up. */
const stackLine = /^\s*(?:at\s|node:\S+:\d+$|#?\d+:\s|-+ .* stack ?trace -+)/i;

// eslint-disable-next-line no-control-regex -- the one escape sequence that well-behaved programs write
const colours = /\u001b\[[\d;]*m/g;

/** Collects the end of a stream as text, without terminal sequences, stacks and host paths. */
export class StderrTail {
  #tail = Buffer.alloc(0);

  push(chunk: Buffer): void {
    const joined = chunk.length >= keptStderrBytes ? chunk : Buffer.concat([this.#tail, chunk]);
    this.#tail = Buffer.from(joined.subarray(-keptStderrBytes));
  }

  toString(): string {
    // A path that is cut at its start would not be recognised as one.
    const whole =
      this.#tail.length < keptStderrBytes ? this.#tail.toString() : this.#tail.toString().replace(/^\S*\s/, '');
    const lines = whole.replace(colours, '').split('\n');
    const kept = lines
      .map((line) => oneLine(withoutPaths(line.replace(/[\t\r]+/g, ' '))))
      .filter((line) => !stackLine.test(line));
    return kept.join('\n').trim();
  }
}
