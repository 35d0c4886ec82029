import { createHash, randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { SandboxError, type RunOptions, type RunResult, type Sandbox } from '@mustard-sandbox/client';
import type { ConnectOptions } from '@mustard-sandbox/remote';
import { openBadLink, type Badness } from '../../stress/bad-link.mjs';
import { openStage, type Stage } from './support.ts';

let stage: Stage;
beforeAll(async () => {
  stage = await openStage();
});
afterAll(() => stage.end());

async function over(badness: Badness, options: Partial<ConnectOptions> = {}) {
  const link = await openBadLink(stage.server.url, badness);
  onTestFinished(() => link.close());
  return { link, sandbox: stage.connect({ url: link.url, connectTimeoutMs: 60_000, ...options }) };
}

/** Again, for as long as the connection of the run itself is cut: nobody else runs it again. */
async function untilDone(sandbox: Sandbox, options: RunOptions): Promise<RunResult> {
  for (;;) {
    try {
      return await sandbox.run(options);
    } catch (error) {
      if (!(error instanceof SandboxError) || error.code !== 'connection_lost') throw error;
    }
  }
}

/** Lines of 64 characters, unlike any other file's. */
async function linesFile(name: string, count: number): Promise<{ path: string; lines: string[] }> {
  const seed = randomBytes(8).toString('hex');
  const lines = Array.from({ length: count }, (_, n) => createHash('sha256').update(`${seed} ${n}`).digest('hex'));
  const path = join(stage.folder, 'files', name);
  await writeFile(path, lines.join('\n'));
  return { path, lines };
}

describe('over a link', () => {
  it('that brings one byte at a time, everything is what it is elsewhere', async () => {
    const { sandbox } = await over({ segmentBytes: 1 });
    const { path, lines } = await linesFile('by-byte', 20);
    const said: string[] = [];
    const { value } = await sandbox.run({
      script: `console.log('grüße 😀'); [twice('é€😀'), read_file('attachments:a').length]`,
      hostFunctions: { twice: (text) => (text as string).repeat(2) },
      onConsole: ({ text }) => said.push(text),
      scope: { attachments: [{ name: 'a', path }] },
    });
    expect(value).toEqual(['é€😀é€😀', lines.length * 65 - 1]);
    expect(said).toEqual(['grüße 😀']);
  });

  it('that is late by a different time for each piece and stands still now and then, each run gets its own', async () => {
    const { sandbox, link } = await over({ delayMs: 2, jitterMs: 20, stallEvery: 4_000, stallMs: 300 });
    const asked: number[] = [];
    const runs = Array.from({ length: 40 }, async (_, n) => {
      const hostFunctions = { ask: (x: unknown) => (asked.push(x as number), (x as number) * 2) };
      return (await sandbox.run({ script: 'ask(n) + 1', inputs: { n }, hostFunctions })).value;
    });
    expect(await Promise.all(runs)).toEqual(runs.map((_, n) => 2 * n + 1));
    expect(asked.toSorted((a, b) => a - b)).toEqual(runs.map((_, n) => n));
    expect(link.stalls).toBeGreaterThan(0);
  });

  it.each([
    ['with its hash at the end', {}],
    ['by parts that are slow and small', { bytesPerSecond: 40_000_000, segmentBytes: 14_000 }],
  ])('that is cut at any byte, a file arrives whole, %s', async (name, more) => {
    const { path, lines } = await linesFile(`cut-${name}`, 150_000);
    const { sandbox, link } = await over({ cutEvery: 2_000_000, ...more });
    const { value } = await untilDone(sandbox, {
      script: `const text = read_file('attachments:a', { length: 20000000 }).split('\\n'); [text.length, text[123456]]`,
      scope: { attachments: [{ name: 'a', path }], maxReadBytes: 20_000_000 },
      limits: { timeoutMs: 10_000 },
    });
    expect(value).toEqual([lines.length, lines[123_456]]);
    expect(link.cuts).toBeGreaterThan(0);
  });

  it('that is cut at any byte, a large result arrives whole', async () => {
    const { sandbox, link } = await over({ cutEvery: 1_000_000 });
    for (let round = 0; link.cuts < 3; round++) {
      const { value } = await untilDone(sandbox, {
        script: `let s = ''; for (let n = 0; n < 30; n++) s += (round + '-' + n + ' ').repeat(20000); s`,
        inputs: { round },
      });
      const wanted = Array.from({ length: 30 }, (_, n) => `${round}-${n} `.repeat(20_000)).join('');
      expect(value === wanted).toBe(true);
    }
  });
});
