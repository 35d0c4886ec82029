import { expect, test } from 'vitest';
import { ThreadPace } from '../../packages/sandbox-daemon/src/files/aside/thread-pace.ts';

test('what goes on elsewhere is told to stop when the run is over', async () => {
  let isOver = false;
  let stops = 0;
  const pace = new ThreadPace(() => isOver);
  const never = new Promise<never>(() => {});
  const waiting = pace.within(never, () => stops++);
  isOver = true;
  await expect(waiting).rejects.toMatchObject({ code: 'cancelled' });
  expect(stops).toBe(1);
});

test('what fails elsewhere fails here, and what it gives is given', async () => {
  const pace = new ThreadPace(() => false);
  await expect(pace.within(Promise.reject(new Error('broken')))).rejects.toThrow('broken');
  expect(await pace.within(Promise.resolve(7))).toBe(7);
});
