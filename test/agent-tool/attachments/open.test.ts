import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { describe, expect, onTestFinished, test } from 'vitest';
import { openAttachment } from '../../../packages/agent-tool/src/attachments/open.ts';
import { makeFolder } from '../../files/support.ts';

async function read(path: string, noLinks: boolean): Promise<string> {
  await using file = await openAttachment({ path, noLinks });
  return await file.readFile('utf8');
}

describe('an attachment that the host opens', () => {
  test('may be a link where a person named it, and none where a store did', async () => {
    const folder = makeFolder({ '.env': 'SECRET', 'a.txt': 'a', 'link.txt': { link: '.env' }, 'folder/': '' });
    const linked = makeFolder({ way: { link: folder } });
    expect(await read(join(folder, 'link.txt'), false)).toBe('SECRET');
    await expect(read(join(folder, 'link.txt'), true)).rejects.toMatchObject({ code: 'not_found' });
    // A link on the way to the folder is nobody's swap.
    expect(await read(join(linked, 'way/a.txt'), true)).toBe('a');
    await expect(read(join(folder, 'folder'), true)).rejects.toMatchObject({ code: 'not_a_file' });
    await expect(read(join(folder, 'gone'), true)).rejects.toMatchObject({ code: 'not_found' });
  });

  test('is never what a link leads to that a program swaps there meanwhile', async () => {
    const folder = makeFolder({ '.env': 'SECRET' });
    const path = join(folder, 'a.txt');
    writeFileSync(path, 'own');
    const swapper = new Worker(
      `const { renameSync, symlinkSync, writeFileSync } = require('fs');
       const { workerData: folder } = require('worker_threads');
       for (;;) {
         symlinkSync('.env', folder + '/next'); renameSync(folder + '/next', folder + '/a.txt');
         writeFileSync(folder + '/next', 'own'); renameSync(folder + '/next', folder + '/a.txt');
       }`,
      { eval: true, workerData: folder },
    );
    onTestFinished(async () => void (await swapper.terminate()));
    const seen = new Map<string, number>();
    // Until both were met, and often.
    for (let count = 0; count < 2000 || (seen.size < 2 && count < 100_000); count++) {
      const outcome = await read(path, true).catch(({ code }: { code: string }) => code);
      seen.set(outcome, (seen.get(outcome) ?? 0) + 1);
    }
    expect([...seen.keys()].sort()).toEqual(['not_found', 'own']);
  });
});
