import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { backendStatus } from '@mustard-sandbox/bash-tools';
import { describe, expect, it } from 'vitest';
import { asNobody } from './fixtures/as-nobody.ts';
import { noJail, scratchFolder } from './support.ts';

const fixture = fileURLToPath(new URL('fixtures/kernel-memory.mjs', import.meta.url));

function expectBounded(command: readonly string[]): void {
  const [file = '', ...args] = command;
  const { told } = JSON.parse(execFileSync(file, args, { encoding: 'utf8' })) as {
    told: Record<'pairs' | 'tcp' | 'pipes' | 'letGo' | 'after', { exitCode: number; stdout: string; stderr: string }>;
  };
  const ended = { exitCode: 137, stderr: expect.stringContaining('memoryBytes') as string };
  expect(told).toMatchObject({ pairs: ended, tcp: ended, pipes: ended, letGo: ended });
  expect(told.after).toMatchObject({ exitCode: 0, stdout: 'fine' });
}

describe.skipIf(noJail !== undefined || !existsSync('/usr/bin/python3'))(
  'memory of the kernel that a command takes',
  () => {
    it('is bounded where the host may make control groups', async (context) => {
      const status = (await backendStatus()).find(({ backend }) => backend === 'local');
      if (status?.bounds?.includes('memory') !== true) return context.skip('no control group can be made here');
      expectBounded([process.execPath, fixture, scratchFolder()]);
    });

    it('is looked after where it may not', (context) => {
      const command = asNobody(scratchFolder(), fixture);
      if (command === undefined) return context.skip('another user cannot read this folder');
      expectBounded(command);
    });
  },
);
