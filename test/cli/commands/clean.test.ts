import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { AttachmentStore } from '@mustard-sandbox/agent-tool';
import { describe, expect, it } from 'vitest';
import { cliInProcess as cli } from '../in-process.ts';
import { makeFolder, parseOnly } from '../support.ts';

/** A folder in which `old.txt` was stored 40 days ago, and `new.txt` and its copy by another name now. */
async function makeStored(): Promise<string> {
  const cwd = makeFolder({ 'old.txt': 'old', 'new.txt': 'newer' });
  const store = new AttachmentStore(cwd);
  await store.store(join(cwd, 'old.txt'), 'old.txt');
  await store.store(join(cwd, 'new.txt'), 'new.txt');
  await store.store(join(cwd, 'new.txt'), 'copy.txt');
  const manifest = join(cwd, '.dyad/media/manifest.json');
  const text = readFileSync(manifest, 'utf8');
  const stored = /"storedAt":\s*"([^"]+)"/.exec(text)?.[1] as string;
  const then = new Date(Date.parse(stored) - 40 * 86_400_000).toISOString();
  writeFileSync(manifest, text.replace(stored, then));
  return cwd;
}

async function names(cwd: string): Promise<string[]> {
  return (await new AttachmentStore(cwd).list()).map(({ name }) => name);
}

describe('clean', () => {
  it.each([
    [['--older-than', '30d'], ['old.txt'], 1, 3],
    [['--older-than', '6w'], [], 0, 0],
    [['--older-than', '30d', '--keep', 'attachments:old.txt'], [], 0, 0],
    [['--all'], ['old.txt', 'new.txt', 'copy.txt'], 2, 8],
    [['--all', '--keep', 'new.txt'], ['old.txt', 'copy.txt'], 1, 3],
    [['new.txt'], ['new.txt'], 0, 0],
    [['attachments:copy.txt', 'new.txt'], ['copy.txt', 'new.txt'], 1, 5],
  ])('%j removes what --dry-run foretold', async (args, removed, files, bytes) => {
    const cwd = await makeStored();
    const before = await names(cwd);
    const expected = { ok: true, removed, files, bytes };
    expect(parseOnly(await cli(['clean', ...args, '--dry-run', '--json'], { cwd }))).toEqual({
      ...expected,
      dryRun: true,
    });
    expect(await names(cwd)).toEqual(before);
    const inUse = (): number => readdirSync(join(cwd, '.dyad/media')).filter((name) => name.endsWith('.txt')).length;
    expect(inUse()).toBe(2);
    expect(parseOnly(await cli(['clean', ...args, '--json'], { cwd }))).toEqual({ ...expected, dryRun: false });
    expect(await names(cwd)).toEqual(before.filter((name) => !removed.includes(name)));
    expect(inUse()).toBe(2 - files);
  });

  it('says what went, and how much that was', async () => {
    const cwd = await makeStored();
    expect(await cli(['clean', '--older-than', '30d'], { cwd })).toEqual({
      exitCode: 0,
      stdout: 'attachments:old.txt\n',
      stderr: 'removed 1 attachment · 1 file, 3 B\n',
    });
  });

  it('removes no attachment that it was not told to', async () => {
    const cwd = await makeStored();
    const before = await names(cwd);
    writeFileSync(join(cwd, '.dyad/media', `${'0'.repeat(64)}.txt`), 'nobody knows me');
    const { exitCode, stdout, stderr } = await cli(['clean'], { cwd });
    expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: '' });
    expect(stderr).toMatch(/^removed 0 attachments · 1 file, 15 B · to remove attachments: .*--older-than/);
    expect(await names(cwd)).toEqual(before);
  });

  it.each([
    [['nwe.txt'], "did you mean 'new.txt'?"],
    [['new.txt', 'nowhere'], "nothing is stored as 'nowhere'"],
    [['--all', '--keep', 'odl.txt'], "did you mean 'old.txt'?"],
    [['--keep', 'old.txt'], '--keep: '],
    [['--all', 'new.txt'], 'exclude each other'],
    [['--all', '--older-than', '1d'], 'exclude each other'],
    [['--older-than', '30'], "'30' is not an age"],
    [['--older-than', '-1d'], "'-1d' is not an age"],
    [['--dry-run'], '--dry-run: there is nothing to try'],
  ])('%j is refused, and removes nothing', async (args, problem) => {
    const cwd = await makeStored();
    const ended = await cli(['clean', ...args], { cwd });
    expect(ended).toMatchObject({ exitCode: 2, stdout: '', stderr: expect.stringContaining(problem) });
    expect(await names(cwd)).toHaveLength(3);
  });

  it('of nothing makes no folder', async () => {
    const cwd = makeFolder();
    expect((await cli(['clean', '--all'], { cwd })).exitCode).toBe(0);
    expect(existsSync(join(cwd, '.dyad'))).toBe(false);
  });
});
