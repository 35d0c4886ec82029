import { AgentError } from '../contract/index.ts';
import type { Overlay, Plan, Proposed, Wanted } from './plan.ts';
import type { Segment } from './segments.ts';

/** What the segments of a finished answer want to change. A write that was cut off is not in it. */
export function wantedBy(_segments: readonly Segment[]): Wanted {
  throw new AgentError('internal', 'Not built yet.');
}

/**
 * Makes a proposal of what is wanted, over the files of the app as they are. Nothing is written. A path that is refused
 * fails the proposal as a whole; the reason is in `proposal.error`.
 *
 * @param appPath absolute
 */
export async function propose(_appPath: string, _wanted: Wanted): Promise<Proposed> {
  throw new AgentError('internal', 'Not built yet.');
}

/** What the files would be. For a check of types before anything is written. */
export async function overlayOf(_appPath: string, _plan: Plan): Promise<Overlay> {
  throw new AgentError('internal', 'Not built yet.');
}
