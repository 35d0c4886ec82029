import { createSandbox, type LocalSandbox, type SegmentOptions, type SegmentResult } from '@mustard-sandbox/client';
import { onTestFinished } from 'vitest';

/** A function that answers the calls of a script, as a host would. */
export type Answers = Record<string, (...args: never[]) => unknown>;

export interface Went {
  result: Extract<SegmentResult, { state: 'completed' }>;
  /** The calls, in the order in which the script made them. */
  calls: [name: string, ...args: unknown[]][];
  console: string[];
  waits: Extract<SegmentResult, { state: 'waiting' }>[];
}

/** What runs segments. */
export type Segments = Pick<LocalSandbox, 'runSegment' | 'run'>;

/** A sandbox that runs each segment in a process of its own, so that nothing but the snapshot goes on. */
export function freshEachTime(): LocalSandbox {
  const box = createSandbox({ spares: 1, maxProcesses: 1, recycleRuns: 1, isolation: 'process' });
  onTestFinished(() => box.close());
  return box;
}

let pair: LocalSandbox[] | undefined;
let turn = 0;

/** Two processes that take turns: no segment runs where the one before it did. */
export function taking(): Segments {
  pair ??= [0, 1].map(() => createSandbox({ spares: 0, maxProcesses: 1, isolation: 'process', quarantineAfter: 1000 }));
  const next = (): LocalSandbox => (pair as LocalSandbox[])[turn++ % 2] as LocalSandbox;
  return { run: (options) => next().run(options), runSegment: (options) => next().runSegment(options) };
}

/** Runs a script in segments to its end. All calls of a wait are answered in their order. */
export async function inSegments(
  box: Segments,
  script: string,
  answers: Answers,
  options: Partial<SegmentOptions> = {},
): Promise<Went> {
  const went: Omit<Went, 'result'> = { calls: [], console: [], waits: [] };
  const shared = {
    ...options,
    script,
    hostFunctions: Object.keys(answers),
    onConsole: ({ text }: { text: string }) => went.console.push(text),
  };
  const known = new Set<number>();
  let result = await box.runSegment(shared);
  const { inputs: _, ...later } = shared;
  while (result.state === 'waiting') {
    went.waits.push(result);
    const answered = [];
    for (const { id, name, args } of result.calls) {
      if (!known.has(id)) went.calls.push([name, ...args]);
      known.add(id);
      try {
        answered.push({ id, value: await answers[name]?.(...(args as never[])) });
      } catch (error) {
        const { name: kind, message } = error as Error;
        answered.push({ id, error: { name: kind, message } });
      }
    }
    result = await box.runSegment({ ...later, from: { snapshot: result.snapshot, answers: answered } });
  }
  return { ...went, result };
}

/** The same script in one go. */
export async function inOneGo(
  box: Segments,
  script: string,
  answers: Answers,
  options: Partial<SegmentOptions> = {},
): Promise<{ value: unknown; calls: Went['calls']; console: string[] }> {
  const calls: Went['calls'] = [];
  const console: string[] = [];
  const { from: _, hostFunctions: _names, ...rest } = options;
  const { value } = await box.run({
    ...rest,
    script,
    hostFunctions: Object.fromEntries(
      Object.entries(answers).map(([name, answer]) => [
        name,
        (...args: unknown[]) => {
          calls.push([name, ...args]);
          return answer(...(args as never[]));
        },
      ]),
    ),
    onConsole: ({ text }) => console.push(text),
  });
  return { value, calls, console };
}
