import { randomBytes } from 'node:crypto';
import { throwIfAborted } from '@mustard-sandbox/protocol';
import type { BashLimits } from '../limits.ts';
import type { Machine } from '../machine.ts';
import type { Reached } from '../network/reached.ts';
import { Output, type StreamName } from '../output/output.ts';
import type { Shown } from '../output/text.ts';

/** How a command ended, for the model. */
export interface BashResult {
  /** Cut to `maxStdoutChars`; a line with "…(truncated)" says what is missing and where all of it is. */
  stdout: string;
  stderr: string;
  /** 124 after the time limit, 126 when the command was not allowed, 137 after another limit. */
  exitCode: number;
  /** Whether the model got less than was written. */
  truncated: boolean;
  durationMs: number;
  /** What it reached by the network, and what it was refused. Only of a command that was allowed domains. */
  reached?: Reached;
}

/** What a command has done so far. */
export interface BashProgress {
  command: string;
  elapsedMs: number;
  stdoutBytes: number;
  stderrBytes: number;
}

/** Options of `Workspace.run`. */
export interface RunCommandOptions {
  /** How long it may run, in ms; at most `maxTimeoutMs`. */
  timeoutMs?: number;
  signal?: AbortSignal;
  /**
   * Set when no person was asked about this command. In a folder of the user it then cannot change files that run by
   * themselves, such as `.git/config`, and files of that kind that it makes are put aside.
   */
  holdBack?: boolean;
  /**
   * Domains that the command may reach, each as `parseDomain` returns it. With the backend `local` only. Default: no
   * network.
   */
  domains?: readonly string[];
  /**
   * Called with all that it has printed so far, cut as in the result: four times a second while more comes, and once at
   * the end, also when it is cancelled.
   */
  onOutput?: (printed: Record<'stdout' | 'stderr', string>) => void;
  /** Called when it begins, and every half second while it runs. */
  onProgress?: (progress: BashProgress) => void;
}

const timeoutCode = 124;
const progressMs = 500;
const liveMs = 250;
/** Where whole outputs are kept in the workspace. git does not see the folder. */
const outputsFolder = '.mustard/outputs';
/** How many outputs of one machine are kept. */
const keptOutputs = 20;
const kept = new WeakMap<Machine, string[]>();

/** Runs a command, and turns its output into the part for a model. */
export async function runCommand(
  machine: Machine,
  limits: BashLimits,
  command: string,
  { timeoutMs = limits.timeoutMs, signal, onProgress, onOutput, holdBack = false, domains = [] }: RunCommandOptions,
): Promise<BashResult> {
  throwIfAborted(signal, cancelled);
  if (command.includes('\0')) return refusal('A command cannot hold a NUL character.', 2);
  const controller = new AbortController();
  const output = outputOf(machine, limits);
  const startedAt = performance.now();
  let isLate = false;
  const ms = Math.min(timeoutMs, limits.maxTimeoutMs);
  const timer = setTimeout(() => {
    isLate = true;
    controller.abort();
  }, ms);
  const abort = (): void => controller.abort();
  signal?.addEventListener('abort', abort, { once: true });
  using _progress = new Progress(command, output, onProgress);
  using live = new LiveOutput(output, onOutput);
  try {
    const ended = await machine.run(command, { signal: controller.signal, output, holdBack, domains });
    const { stdout, stderr } = await output.end();
    live.end({ stdout: stdout.text, stderr: stderr.text });
    throwIfAborted(signal, cancelled);
    const why = isLate ? `it ran for more than ${ms} ms (timeoutMs)` : ended.killed;
    return {
      stdout: stdout.text,
      stderr: withNotes(stderr, why, ended.note),
      exitCode: isLate ? timeoutCode : ended.exitCode,
      truncated: stdout.truncated || stderr.truncated,
      durationMs: Math.round(performance.now() - startedAt),
      ...(ended.reached && { reached: ended.reached }),
    };
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', abort);
  }
}

/** The result of a command that did not run. */
export function refusal(why: string, exitCode = 126): BashResult {
  return { stdout: '', stderr: why, exitCode, truncated: false, durationMs: 0 };
}

const cancelled = 'The command was cancelled.';

function withNotes({ text }: Shown, why: string | undefined, note: string | undefined): string {
  const killed = why === undefined ? [] : [`[The command and all that it started were killed: ${why}.]`];
  const notes = [...killed, ...(note === undefined ? [] : [`[${note}]`])];
  return [...(text === '' ? [] : [text]), ...notes].join('\n');
}

function outputOf(machine: Machine, { maxStdoutChars, maxStderrChars, outputBytes }: BashLimits): Output {
  const id = randomBytes(4).toString('hex');
  return new Output({
    maxStdoutChars,
    maxStderrChars,
    maxBytes: outputBytes,
    keep: (stream: StreamName) => {
      const path = `${outputsFolder}/${id}-${stream}.txt`;
      const known = kept.get(machine) ?? [];
      kept.set(machine, known);
      if (known.length === 0) void machine.writeFile('.mustard/.gitignore', '*\n').catch(() => {});
      known.push(path);
      if (known.length > keptOutputs) void machine.removeFile(known.shift() as string).catch(() => {});
      return { path, sink: machine.keep(path) };
    },
  });
}

/** Reports the progress of a command until it is disposed of. */
class Progress implements Disposable {
  readonly #timer: NodeJS.Timeout | undefined;

  constructor(command: string, output: Output, onProgress: RunCommandOptions['onProgress']) {
    if (onProgress === undefined) return;
    const startedAt = performance.now();
    const tell = (): void => {
      const { stdoutBytes, stderrBytes } = output;
      onProgress({ command, elapsedMs: Math.round(performance.now() - startedAt), stdoutBytes, stderrBytes });
    };
    tell();
    this.#timer = setInterval(tell, progressMs);
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
  }
}

/** Tells what a command has printed, until it is disposed of. */
class LiveOutput implements Disposable {
  readonly #timer: NodeJS.Timeout | undefined;
  readonly #tell: RunCommandOptions['onOutput'];
  #told = 0;

  constructor(output: Output, onOutput: RunCommandOptions['onOutput']) {
    this.#tell = onOutput;
    if (onOutput === undefined) return;
    this.#timer = setInterval(() => {
      const bytes = output.stdoutBytes + output.stderrBytes;
      if (bytes === this.#told) return;
      this.#told = bytes;
      onOutput(output.soFar);
    }, liveMs);
  }

  end(printed: Record<StreamName, string>): void {
    this.#tell?.(printed);
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
  }
}
