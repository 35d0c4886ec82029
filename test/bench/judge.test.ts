import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { load } from './load.ts';

interface Wanted {
  direction: 'at most' | 'at least';
  wanted: number;
  known?: { bound: number; why: string };
}
type Measured = { value: number; low?: number; high?: number } | { skipped: string };
type Judgement = { id: string; value: number | null; verdict: string; note?: string };

const { wanted, boundOf } = await load<{ wanted: Record<string, Wanted>; boundOf: (entry: Wanted) => number }>(
  'wanted.mjs',
);
const { judgeWithPatience } = await load<{
  judgeWithPatience: (
    figure: string,
    measure: () => Promise<{ ratios: Record<string, Measured> }>,
    attempts: number,
  ) => Promise<{ judgements: Judgement[] }>;
}>('judge.mjs');

async function judge(ratios: Record<string, Measured>): Promise<Judgement> {
  const { judgements } = await judgeWithPatience('any', async () => ({ ratios }), 1);
  return judgements[0] as Judgement;
}

async function verdicts(id: string, ...values: number[]): Promise<string[]> {
  return await Promise.all(values.map(async (value) => (await judge({ [id]: { value } })).verdict));
}

/** Gives these values of `big-file`, one at each call. */
function giving(...values: number[]) {
  const left = [...values];
  const measure = async () => ({ ratios: { 'big-file': { value: left.shift() as number } } });
  return { measure, left };
}

describe('what CI tolerates', () => {
  test('is twice as bad as wanted for a ratio, both ways', async () => {
    const expected = ['met', 'missed', 'missed', 'too bad'];
    expect(await verdicts('big-file', 1.05, 1.06, 2.1, 2.11)).toEqual(expected);
    expect(await verdicts('worker-per-run', 150, 149, 75, 74)).toEqual(expected);
    expect(await verdicts('import-addons', 0, 1)).toEqual(['met', 'too bad']);
  });

  test('is ten times as bad where the machine counts as well: milliseconds and MB/s', async () => {
    const expected = ['met', 'missed', 'missed', 'too bad'];
    expect(await verdicts('remote-ms', 1, 1.1, 10, 10.1)).toEqual(expected);
    expect(await verdicts('lines', 60, 59, 6, 5.9)).toEqual(expected);
  });

  test('is judged by the best part of the run', async () => {
    const verdict = async (id: string, measured: Measured) => (await judge({ [id]: measured })).verdict;
    expect(await verdict('big-file', { value: 3, low: 2.1, high: 9 })).toBe('missed');
    expect(await verdict('big-file', { value: 3, low: 2.2, high: 9 })).toBe('too bad');
    expect(await verdict('worker-per-run', { value: 50, low: 10, high: 75 })).toBe('missed');
    expect(await verdict('worker-per-run', { value: 50, low: 10, high: 74 })).toBe('too bad');
  });

  test.each(Object.entries(wanted))(
    '%s: a bound of its own is looser than the one of its unit, and says why',
    (_id, entry) => {
      const { known, ...plain } = entry;
      if (known === undefined) return expect(boundOf(entry)).toBe(boundOf(plain));
      const looser = entry.direction === 'at most' ? known.bound > boundOf(plain) : known.bound < boundOf(plain);
      expect({ looser, bound: boundOf(entry) }).toEqual({ looser: true, bound: known.bound });
      expect(known.why).not.toBe('');
    },
  );

  test('never calls a better value worse', async () => {
    const rank = { met: 0, missed: 1, 'too bad': 2 } as Record<string, number>;
    const positive = fc.double({ min: 0, max: 1000, noNaN: true });
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...Object.keys(wanted)), positive, positive, async (id, a, b) => {
        const ascending = [Math.min(a, b), Math.max(a, b)];
        const bestFirst = wanted[id]?.direction === 'at most' ? ascending : ascending.toReversed();
        const [better, worse] = (await verdicts(id, ...bestFirst)).map((verdict) => rank[verdict] as number);
        expect(better).toBeLessThanOrEqual(worse as number);
      }),
    );
  });

  test('what is not there is skipped with its reason', async () => {
    const skipped = await judge({ 'run-package': { skipped: 'not installed' } });
    expect(skipped).toMatchObject({ verdict: 'skipped', value: null, note: 'not installed' });
  });
});

describe('judgeWithPatience', () => {
  test('measures once when nothing is too bad', async () => {
    const { measure, left } = giving(2, 1);
    const { judgements } = await judgeWithPatience('big-file', measure, 3);
    expect({ left, judgements }).toMatchObject({ left: [1], judgements: [{ value: 2, verdict: 'missed' }] });
  });

  test('measures again until it is tolerable', async () => {
    const { measure, left } = giving(9, 1.01, 7);
    const { judgements } = await judgeWithPatience('big-file', measure, 3);
    expect({ left, judgements }).toMatchObject({ left: [7], judgements: [{ value: 1.01, verdict: 'met' }] });
  });

  test('gives up, with the best of its attempts', async () => {
    const { measure, left } = giving(9, 5, 7, 1);
    const { judgements } = await judgeWithPatience('big-file', measure, 3);
    expect({ left, judgements }).toMatchObject({ left: [1], judgements: [{ value: 5, verdict: 'too bad' }] });
  });

  test('does not wait for what is skipped', async () => {
    let calls = 0;
    const measure = async () => ({ ratios: { 'run-package': { skipped: `not there, ${++calls}` } } });
    await judgeWithPatience('peers', measure, 3);
    expect(calls).toBe(1);
  });
});
