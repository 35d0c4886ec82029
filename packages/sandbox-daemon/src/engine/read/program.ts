import type { Diagnostic } from '@mustard-sandbox/protocol';
import type { Positions } from './positions.ts';

/** A script that was read: what an engine compiles, and how its places lead back to the script. */
export interface Program {
  /** As the script was written. */
  source: string;
  /** What the engine compiles: the script without types, and with its result as the value of the program. */
  code: string;
  /** Leads from places in `code` to places in `source`; absent where both are the same. */
  positions?: Positions;
  /** Whether it has `await` or an async function. Then host functions give promises. */
  waits: boolean;
}

/** A program, or why there is none. */
export type Read = Program | { diagnostics: Diagnostic[] };
