import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { failureOf } from '../client/support.ts';
import { makeFolder } from '../files/support.ts';

interface Progress {
  written: number;
  total: number;
}

interface Options {
  megabytes?: number;
  signal?: AbortSignal;
  onProgress?: (bytes: Progress) => void;
}

interface LogMaker {
  isLogSize: (bytes: number, megabytes: number) => boolean;
  makeLog: (path: string, options: Options) => Promise<void>;
}

const url = new URL('../../scripts/make-log.mjs', import.meta.url);
const { isLogSize, makeLog } = (await import(url.href)) as LogMaker;
/** Of 1.5 MB, as the first version wrote them. */
const sha256Of1536K = '86d743b487a100b7f14ede03c40939251889125b2f5b61c1f6f5b7f8fb14be3c';
const run = promisify(execFile);

function hashOf(path: string): string {
  return createHash('sha256').update(readFileSync(path)).digest('hex');
}

describe('make-log.mjs', () => {
  test('writes the same bytes every time', async () => {
    const folder = makeFolder();
    await makeLog(join(folder, 'a.log'), { megabytes: 1.5 });
    await run(process.execPath, [fileURLToPath(url), join(folder, 'b.log'), '1.5']);
    expect(hashOf(join(folder, 'a.log'))).toBe(sha256Of1536K);
    expect(hashOf(join(folder, 'b.log'))).toBe(sha256Of1536K);
    expect(readdirSync(folder)).toEqual(['a.log', 'b.log']);
  });

  test('has the size asked for, to a line, and knows it again', async () => {
    const path = join(makeFolder(), 'a.log');
    await makeLog(path, { megabytes: 2 });
    const { size } = statSync(path);
    expect(isLogSize(size, 2)).toBe(true);
    expect(isLogSize(size, 1)).toBe(false);
    expect(isLogSize(2 * 1024 * 1024 - 1, 2)).toBe(false);
    expect(readFileSync(path, 'utf8')).toMatch(/ms\n$/);
  });

  test('tells how far it is', async () => {
    const seen: Progress[] = [];
    await makeLog(join(makeFolder(), 'a.log'), { megabytes: 3, onProgress: (progress) => seen.push(progress) });
    expect(seen.length).toBeGreaterThanOrEqual(3);
    expect(seen.at(-1)?.written).toBeGreaterThanOrEqual(3 * 1024 * 1024);
    expect(seen.map(({ written }) => written)).toEqual(seen.map(({ written }) => written).sort((a, b) => a - b));
    expect(seen.every(({ total }) => total === 3 * 1024 * 1024)).toBe(true);
  });

  test('leaves nothing behind when it is stopped', async () => {
    const folder = makeFolder();
    const controller = new AbortController();
    const making = makeLog(join(folder, 'a.log'), {
      megabytes: 50,
      signal: controller.signal,
      onProgress: () => controller.abort(),
    });
    expect(await failureOf(making)).toMatchObject({ name: 'AbortError' });
    expect(readdirSync(folder)).toEqual([]);
  });

  test.each([[[]], [['x.log', 'many']], [['x.log', '0']]])('refuses %j', async (args) => {
    const error = await failureOf(run(process.execPath, [fileURLToPath(url), ...args], { cwd: makeFolder() }));
    expect(error).toMatchObject({ code: 2, stderr: 'usage: node scripts/make-log.mjs OUT [MEGABYTES]\n' });
  });
});
