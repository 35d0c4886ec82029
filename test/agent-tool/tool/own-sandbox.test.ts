import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createExecuteSandboxScriptTool, type ExecuteSandboxScriptToolOptions } from '@mustard-sandbox/agent-tool';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { makeFolder } from '../../files/support.ts';
import { noJail } from '../../isolation/support.ts';
import { completed, failed } from './support.ts';

type Tool = ReturnType<typeof createExecuteSandboxScriptTool>;

function ownTool(options: ExecuteSandboxScriptToolOptions): Tool {
  const tool = createExecuteSandboxScriptTool({ settings: { consent: 'always' }, ...options });
  onTestFinished(() => tool.close());
  return tool;
}

/** What each sidecar of this test sees of the disk, as the kernel tells it. */
function sidecars(): string[][] {
  return readdirSync('/proc').flatMap((pid) => {
    try {
      const isOurs = /sandbox-daemon\/dist\/main\.js/.test(readFileSync(`/proc/${pid}/cmdline`, 'utf8'));
      const isOfHere = readFileSync(`/proc/${pid}/environ`, 'utf8').includes(`TZ=${mark}`);
      const isNode = readFileSync(`/proc/${pid}/comm`, 'utf8').startsWith('node');
      return isOurs && isOfHere && isNode ? [mountsOf(pid)] : [];
    } catch {
      return [];
    }
  });
}

function mountsOf(pid: string): string[] {
  const lines = readFileSync(`/proc/${pid}/mountinfo`, 'utf8').trimEnd().split('\n');
  return lines.map((line) => line.split(' ')[4] as string);
}

// Passed on to sidecars, and no other test has it.
const mark = `Etc/Own-${process.pid}`;

describe.skipIf(noJail !== undefined)('the sandbox of a tool that was given none', () => {
  test('is a jail around the folder and the files of its calls', async () => {
    vi.stubEnv('TZ', mark);
    onTestFinished(() => void vi.unstubAllEnvs());
    const world = makeFolder({ 'app/a.txt': 'a', 'else/b.txt': 'b', 'else/secret.txt': 'SECRET' });
    const attachments = [join(world, 'else/b.txt')];
    const tool = ownTool({ appPath: join(world, 'app'), attachments });
    expect(
      (await completed(tool.execute({ script: `read_file('a.txt') + read_file('attachments:b.txt')` }))).value,
    ).toBe('ab');
    const [own] = sidecars() as [string[]];
    expect(own).toEqual(expect.arrayContaining([join(world, 'app'), join(world, 'else/b.txt')]));
    expect(own.filter((mount) => mount.startsWith(world))).toHaveLength(2);
    expect(own).not.toContain('/tmp');
  });

  test('follows files that come elsewhere, lets runs under way end, and leaves none behind', async () => {
    vi.stubEnv('TZ', mark);
    onTestFinished(() => void vi.unstubAllEnvs());
    const world = makeFolder({ 'one/1.txt': 'one', 'two/2.txt': 'two' });
    let files = [{ name: '1', path: join(world, 'one/1.txt'), size: 3 }];
    let release = (): void => {};
    const held = new Promise<void>((resolve) => (release = resolve));
    const capabilities = { hold: { declaration: 'declare function hold(): void;', handler: () => held } };
    const tool = ownTool({ attachments: { list: async () => files }, capabilities });
    const long = completed(tool.execute({ script: `hold(); read_file('attachments:1')` }));
    await vi.waitFor(() => expect(sidecars()).not.toEqual([]));
    files = [{ name: '2', path: join(world, 'two/2.txt'), size: 3 }];
    expect((await completed(tool.execute({ script: `read_file('attachments:2')` }))).value).toBe('two');
    release();
    expect((await long).value).toBe('one');
    rmSync(join(world, 'one'), { recursive: true });
    mkdirSync(join(world, 'three'));
    writeFileSync(join(world, 'three/3.txt'), 'three');
    files = [{ name: '3', path: join(world, 'three/3.txt'), size: 5 }];
    expect((await completed(tool.execute({ script: `read_file('attachments:3')` }))).value).toBe('three');
    await tool.close();
    await vi.waitFor(() => expect(sidecars()).toEqual([]));
    expect((await failed(tool.execute({ script: '1' }))).error.code).toBe('closed');
  });
});

test('a folder that is not there is told without where it would be', async () => {
  const world = makeFolder({});
  const { error } = await failed(ownTool({ appPath: join(world, 'none') }).execute({ script: '1' }));
  expect(error).toMatchObject({ code: 'invalid_request', message: expect.stringContaining('scope.root is not there') });
  expect(JSON.stringify(error)).not.toContain(world);
});
