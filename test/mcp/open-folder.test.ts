import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { CallToolResult, ElicitResult } from '@modelcontextprotocol/client';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { connect, eras, isLinux, makeFolder, textOf, type Connected } from './support.ts';

const files = { 'one/name.txt': 'one', 'two/name.txt': 'two', 'keys/.ssh/config': '', 'file.txt': '' };
const yes: ElicitResult = { action: 'accept', content: { permission: 'Open this folder until the server ends' } };
const whereAmI = `read_file('name.txt')`;

const open = async ({ client }: Connected, path: unknown): Promise<CallToolResult> =>
  await client.callTool({ name: 'open_folder', arguments: { path } });
const namesOf = async ({ client }: Connected): Promise<string[]> =>
  (await client.listTools()).tools.map(({ name }) => name);

describe.each(eras)('open_folder, at %s', (era) => {
  const elicit = vi.fn<(message: string) => ElicitResult>();
  beforeEach(() => void elicit.mockReset().mockReturnValue(yes));

  it('lets scripts read in a folder once the user has said yes, and in another one after it', async () => {
    const folder = makeFolder(files);
    const connected = await connect(['--consent', 'always'], { era, elicit });
    expect(await namesOf(connected)).toEqual(['execute_sandbox_script', 'open_folder']);
    expect((await connected.run(whereAmI)).structuredContent).toMatchObject({ status: 'failed' });
    for (const name of ['one', 'two']) {
      const answer = await open(connected, join(folder, name));
      expect(answer.structuredContent).toEqual({ status: 'opened', folder: join(folder, name) });
      expect((await connected.run(whereAmI)).structuredContent.value).toBe(name);
    }
    expect((await connected.run(`read_file('../one/name.txt')`)).structuredContent).toMatchObject({
      errorCode: 'capability_denied',
    });
    const questions = elicit.mock.calls.map(([message]) => message);
    expect(questions).toHaveLength(2);
    expect(questions[0]).toContain(`Let scripts read in this folder?\n\n"${join(folder, 'one')}"`);
  });

  it('shows where a link leads, and the whole of a long path', async () => {
    const deep = Array.from({ length: 20 }, () => 'twenty-letters-and-so').join('/');
    const folder = makeFolder({ [`${deep}/name.txt`]: 'deep' });
    symlinkSync(join(folder, deep), join(folder, 'harmless'));
    const connected = await connect(['--consent', 'always'], { era, elicit });
    await open(connected, join(folder, 'harmless'));
    expect(elicit.mock.calls[0]?.[0]).toContain(`"${join(folder, deep)}"`);
    expect((await connected.run(whereAmI)).structuredContent.value).toBe('deep');
  });

  it.each([
    ['decline', { action: 'decline' }],
    ['an answer that was not offered', { action: 'accept', content: { permission: 'Allow this script' } }],
    ['no answer', { action: 'accept' }],
  ] as [string, ElicitResult][])('opens nothing after %s', async (_, reply) => {
    const folder = makeFolder(files);
    elicit.mockReturnValue(reply);
    const connected = await connect(['--consent', 'always'], { era, elicit });
    expect((await open(connected, join(folder, 'one'))).isError).toBe(true);
    expect((await connected.run(whereAmI)).structuredContent).toMatchObject({ status: 'failed' });
  });

  it('asks nobody about what is no folder, and refuses folders of secrets', async () => {
    const folder = makeFolder(files);
    symlinkSync(join(folder, 'keys/.ssh'), join(folder, 'harmless'));
    const connected = await connect(['--consent', 'always'], { era, elicit });
    for (const [path, why] of [
      ['one', 'absolute'],
      [7, 'absolute'],
      [join(folder, 'file.txt'), 'no folder'],
      [join(folder, 'gone'), 'no folder'],
      [join(folder, 'one\0'), 'no folder'],
      [join(folder, 'keys/.ssh'), 'denylist'],
      [join(folder, 'harmless'), 'denylist'],
      ['/', 'processes and devices'],
      ...(isLinux ? ['/proc/self', '/dev', '/sys/kernel'].map((path) => [path, 'processes and devices']) : []),
    ]) {
      const answer = await open(connected, path);
      expect([answer.isError, textOf(answer)], String(path)).toEqual([true, expect.stringContaining(String(why))]);
    }
    expect(elicit).not.toHaveBeenCalled();
  });

  it('goes before the roots of the client', async () => {
    const folder = makeFolder(files);
    const roots = (): string[] => [String(pathToFileURL(join(folder, 'one')))];
    const connected = await connect(['--consent', 'always'], { era, elicit, roots });
    expect((await connected.run(whereAmI)).structuredContent.value).toBe('one');
    await open(connected, join(folder, 'two'));
    expect((await connected.run(whereAmI)).structuredContent.value).toBe('two');
  });

  it('is not there with --root, with --consent never, or where nobody can be asked', async () => {
    const folder = makeFolder(files);
    const withRoot = await connect(['--consent', 'always', '--root', folder], { era, elicit });
    expect(await namesOf(withRoot)).toEqual(['execute_sandbox_script']);
    await expect(open(withRoot, join(folder, 'one'))).rejects.toThrow('There is no tool "open_folder"');
    expect(await namesOf(await connect(['--consent', 'never'], { era, elicit }))).toEqual([]);
    expect(await namesOf(await connect(['--consent', 'always'], { era }))).toEqual(['execute_sandbox_script']);
  });
});

it('takes a reply for the folder alone that was asked about, and only once', async () => {
  const folder = makeFolder(files);
  const capabilities = { elicitation: {} };
  const connected = await connect(['--consent', 'always'], { era: '2026-07-28', capabilities, autoFulfill: false });
  const call = async (path: string, more: object = {}): Promise<Record<string, unknown>> =>
    await connected.client.callTool(
      { name: 'open_folder', arguments: { path: join(folder, path) }, ...more },
      { allowInputRequired: true },
    );
  const asked = (await call('one')) as { inputRequests: Record<string, object>; requestState: string };
  const [key = ''] = Object.keys(asked.inputRequests);
  const reply = { inputResponses: { [key]: yes }, requestState: asked.requestState };
  expect(await call('two', reply)).toMatchObject({ resultType: 'input_required' });
  expect((await connected.run(whereAmI)).structuredContent).toMatchObject({ status: 'failed' });
  expect(await call('one', reply)).toMatchObject({ structuredContent: { status: 'opened' } });
  expect((await connected.run(whereAmI)).structuredContent.value).toBe('one');
  expect(await call('one', reply)).toMatchObject({ resultType: 'input_required' });
});
