import type { Diagnostic } from '@mustard-sandbox/protocol';
import type { Positions } from './positions.ts';

/** A script that was read: what an engine compiles, and how its places lead back to the script. */
export interface Program {
  /** The script as it was written. */
  source: string;
  /** The code that the engine compiles: the script without types, and with its result as the value of the program. */
  code: string;
  /** Converts places in `code` to places in `source`. Absent when both are the same. */
  positions?: Positions;
  /** Whether it has `await` or an async function. Then host functions return promises. */
  waits: boolean;
}

/** A program, or the reasons why there is none. */
export type Read = Program | { diagnostics: Diagnostic[] };
