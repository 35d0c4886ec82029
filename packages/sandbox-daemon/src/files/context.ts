import type { Files } from '@mustard-sandbox/paths';
import type { ReadBudget } from './budget.ts';
import type { LineIndexes } from './line-indexes.ts';
import type { AsidePace, Pace } from './pace.ts';

/** What the built-ins of one run share. */
export interface BuiltinContext {
  readonly files: Files;
  readonly budget: ReadBudget;
  readonly pace: Pace;
  readonly lineIndexes: LineIndexes;
  /** Records that the script looked at this path, if it is an attachment. */
  markRead(path: unknown): void;
}

/** What the built-ins share that run in the other thread: see `aside`. */
export interface AsideContext extends BuiltinContext {
  readonly pace: AsidePace;
}
