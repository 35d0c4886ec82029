import { availableParallelism } from 'node:os';
import { execa } from 'execa';
import { describe, expect, it } from 'vitest';

/** What a program in a process of its own says; it ends when nothing keeps its event loop any more. */
async function said(program: string): Promise<unknown> {
  const input = `
    import { setTimeout as sleep } from 'node:timers/promises';
    import { BusyPolling } from '@mustard-sandbox/protocol';
    let isBusy = false;
    const polling = new BusyPolling(() => isBusy);
    const goesRound = () => process.getActiveResourcesInfo().includes('Immediate');
    const starts = (count) => Array.from({ length: count }, () => { polling.start(); return goesRound(); });
    ${program}`;
  const { stdout } = await execa(process.execPath, ['--input-type=module'], { input });
  return JSON.parse(stdout);
}

describe.skipIf(availableParallelism() === 1)('busy polling', () => {
  it('goes round from start to stop, and keeps no process that has nothing else to do', async () => {
    const program = `
      const seen = [];
      for (let i = 0; i < 5; i++) {
        polling.start();
        seen.push(goesRound());
        polling.stop();
        seen.push(goesRound());
      }
      polling.start();
      console.log(JSON.stringify(seen));`;
    expect(await said(program)).toEqual(Array.from({ length: 5 }, () => [true, false]).flat());
  });

  it('leaves out the more starts the more of them were in vain, 14 at most, and none any more once one was not', async () => {
    const program = `
      const leftOut = () => { let n = 0; while (!starts(1)[0]) n++; return n; };
      const seen = [];
      for (let i = 0; i < 5; i++) {
        polling.start();
        while (goesRound()) await sleep(1);
        seen.push(leftOut());
      }
      polling.stop();
      seen.push(leftOut());
      console.log(JSON.stringify(seen));`;
    expect(await said(program)).toEqual([0, 2, 6, 14, 14, 0]);
  });

  it('is left out while other programs keep the machine busy', async () => {
    const program = `
      isBusy = true;
      const busy = starts(2);
      isBusy = false;
      while (!starts(1)[0]) await sleep(20);
      polling.stop();
      console.log(JSON.stringify(busy));`;
    expect(await said(program)).toEqual([false, false]);
  });
});
