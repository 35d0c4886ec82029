import { readdirSync, readFileSync } from 'node:fs';
import { createSandbox } from '@mustard-sandbox/client';
import { expect, it, onTestFinished, vi } from 'vitest';
import { runs } from '../full.ts';
import { makeFolder, noJail } from './support.ts';

/** Processes that were started with this `TMPDIR`, which is passed on to sidecars, and to all that is around them. */
function startedWith(folder: string): string[] {
  return readdirSync('/proc').filter((pid) => {
    try {
      return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/environ`, 'utf8').includes(`TMPDIR=${folder}`);
    } catch {
      return false;
    }
  });
}

it.skipIf(noJail !== undefined)('a sandbox that is closed at any moment of its start leaves no process', async () => {
  const folder = makeFolder();
  vi.stubEnv('TMPDIR', folder);
  onTestFinished(() => void vi.unstubAllEnvs());
  // Each of the twenty moments, and in CI four times.
  for (let round = 0; round < runs(80, 4).numRuns; round++) {
    const box = createSandbox({ isolation: 'jail', roots: [], spares: 0 });
    const spawned = new Promise<void>((resolve) => box.on('spawned', () => resolve()));
    const warm = box.warm().catch(() => {});
    await spawned;
    // Without a turn of the event loop, which would take longer than the moments that matter.
    for (const end = performance.now() + (round % 20) / 4; performance.now() < end;);
    await box.close();
    await warm;
  }
  await vi.waitFor(() => expect(startedWith(folder)).toEqual([]), 5_000);
});
