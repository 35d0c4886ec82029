/**
 * One piece of an answer of the modes Build and Plan, in order. `done` becomes true with its end tag. A piece that is not done
 * when the answer ends was cut off, and is not applied.
 */
export type Segment =
  | { type: 'text'; text: string; done: boolean }
  | { type: 'reasoning'; text: string; done: boolean }
  | { type: 'write'; path: string; description: string; content: string; done: boolean }
  /** Blocks of search and replacement, or a unified diff. Without a path the diff names its files. */
  | { type: 'edit'; path: string; description: string; content: string; done: boolean }
  | { type: 'rename'; from: string; to: string; done: boolean }
  | { type: 'delete'; path: string; done: boolean }
  | { type: 'dependencies'; packages: string[]; done: boolean }
  | { type: 'command'; command: string; done: boolean }
  | { type: 'summary'; text: string; done: boolean }
  /** A step of the plan that is followed, from 1; any number. */
  | { type: 'step'; step: number; done: boolean }
  /** Of the mode Plan: the list of its steps. */
  | { type: 'plan'; text: string; done: boolean };

export type SegmentOf<Type extends Segment['type']> = Extract<Segment, { type: Type }>;

/** Whether an answer was cut off in a file or an edit of one. `joinContinuation` puts the rest behind it. */
export function endsInsideWrite(segments: readonly Segment[]): boolean {
  const last = segments.at(-1);
  return (last?.type === 'write' || last?.type === 'edit') && !last.done;
}
