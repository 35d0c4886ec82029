/**
 * One piece of an answer in the modes Build and Plan. `done` becomes true with its end tag. A piece that is not done when the
 * answer ends was cut off, and is not applied.
 */
export type Segment =
  | { type: 'text'; text: string; done: boolean }
  | { type: 'reasoning'; text: string; done: boolean }
  | { type: 'write'; path: string; description: string; content: string; done: boolean }
  /** Search-and-replace blocks, or a unified diff. Without a path the diff names its files. */
  | { type: 'edit'; path: string; description: string; content: string; done: boolean }
  | { type: 'rename'; from: string; to: string; done: boolean }
  | { type: 'delete'; path: string; done: boolean }
  | { type: 'dependencies'; packages: string[]; done: boolean }
  | { type: 'command'; command: string; done: boolean }
  | { type: 'summary'; text: string; done: boolean }
  /** A step of the followed plan, from 1. The model may write any number. */
  | { type: 'step'; step: number; done: boolean }
  /** The list of steps that an answer of the mode Plan suggests. */
  | { type: 'plan'; text: string; done: boolean };

export type SegmentOf<Type extends Segment['type']> = Extract<Segment, { type: Type }>;

/** Whether an answer was cut off in a file or an edit of one. `joinContinuation` adds the rest. */
export function endsInsideWrite(segments: readonly Segment[]): boolean {
  const last = segments.at(-1);
  return (last?.type === 'write' || last?.type === 'edit') && !last.done;
}
