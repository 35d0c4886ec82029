import { expect, test } from 'vitest';
import { SandboxError } from '../../packages/sandbox-daemon/src/protocol/errors.ts';
import { RunPace } from '../../packages/sandbox-daemon/src/server/run-pace.ts';

function paceOf(isOver: () => boolean): RunPace {
  const pace = new RunPace();
  pace.begin(() => {
    if (isOver()) throw new SandboxError('timeout', 'over');
  });
  return pace;
}

test('what goes on elsewhere is told to stop when the run is over', async () => {
  let isOver = false;
  let stops = 0;
  const pace = paceOf(() => isOver);
  const never = new Promise<never>(() => {});
  const waiting = pace.within(never, () => stops++);
  isOver = true;
  await expect(waiting).rejects.toMatchObject({ code: 'timeout' });
  expect(stops).toBe(1);
});

test('what fails elsewhere fails here, and what it gives is given', async () => {
  const pace = paceOf(() => false);
  await expect(pace.within(Promise.reject(new Error('broken')))).rejects.toThrow('broken');
  expect(await pace.within(Promise.resolve(7))).toBe(7);
});

test('a turn is due after some milliseconds, and then other events are handled', async () => {
  const pace = paceOf(() => false);
  let isHandled = false;
  setImmediate(() => {
    isHandled = true;
  });
  let turn: Promise<void> | undefined;
  while ((turn = pace.turn()) === undefined);
  await turn;
  expect(isHandled).toBe(true);
});
