import * as z from 'zod';

const whole = (what: string, fallback: number, min: number, max: number): z.ZodDefault<z.ZodInt> => {
  const problem = `must be a whole number of ${what} from ${min} to ${max}`;
  return z.int(problem).min(min, problem).max(max, problem).default(fallback);
};

const MiB = 1024 * 1024;
const GiB = 1024 * MiB;
const dayMs = 24 * 60 * 60_000;

/** The limits as a zod schema, with their defaults. */
export const limitsSchema = z.strictObject({
  /** How long a command may run that sets no time of its own, in ms. */
  timeoutMs: whole('milliseconds', 120_000, 100, 3_600_000),
  /** The longest time that a call may ask for, in ms. */
  maxTimeoutMs: whole('milliseconds', 600_000, 100, 3_600_000),
  /**
   * How much memory a command and everything that it starts may take together, in bytes. One process may take as much.
   */
  memoryBytes: whole('bytes', 2 * GiB, 64 * MiB, 1024 * GiB),
  /** How many processes and threads a command may have at once. */
  processes: whole('processes', 512, 8, 100_000),
  /** How many files one process may have open. */
  openFiles: whole('files', 4096, 32, 1_000_000),
  /**
   * How much disk the workspace may take, with the home and the /tmp of its commands, in bytes. One file may take as
   * much.
   */
  workspaceBytes: whole('bytes', 2 * GiB, MiB, 1024 * GiB),
  /** How many files, folders and links the workspace may have, with the home and the /tmp of its commands. */
  workspaceFiles: whole('files', 500_000, 100, 100_000_000),
  /** How much a command may write to stdout and stderr, in bytes. */
  outputBytes: whole('bytes', 256 * MiB, 64 * 1024, 16 * GiB),
  /** How much a command may send and receive by the proxy, in bytes. */
  networkBytes: whole('bytes', GiB, 1024, 1024 * GiB),
  /** How much of stdout the model gets, in UTF-16 units. */
  maxStdoutChars: whole('characters', 12_000, 200, 1_000_000),
  /** How much of stderr the model gets, in UTF-16 units. */
  maxStderrChars: whole('characters', 12_000, 200, 1_000_000),
  /** After how long without a command a workspace is stopped, in ms. Its files stay. */
  idleTtlMs: whole('milliseconds', 15 * 60_000, 1_000, dayMs),
  /** How many commands may run at once, in all workspaces. */
  maxConcurrent: whole('commands', 2, 1, 1_000),
  /** How many commands may wait for their turn. */
  maxQueue: whole('commands', 64, 0, 100_000),
  /** How long a command may wait, in ms. */
  queueTimeoutMs: whole('milliseconds', 300_000, 100, dayMs),
});

/** Limits of workspaces and commands. A limit that is left out has its default. */
export type BashLimitOptions = z.input<typeof limitsSchema>;
/** Limits of workspaces and commands, each with a value. */
export type BashLimits = z.output<typeof limitsSchema>;
