import { mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it, vi } from 'vitest';
import { childrenOf, connect, connectForAll, eras, isLinux, isPosix, makeFolder, textOf } from './support.ts';
import type { Connected } from './support.ts';
import type { OnEnd } from './in-process.ts';

const always = ['--consent', 'always'];
const uri = (...parts: string[]): string => String(pathToFileURL(join(...parts)));
const whereAmI = `read_file('name.txt')`;

function makeProjects(onEnd?: OnEnd): string {
  const files = { 'one/name.txt': 'one', 'two/name.txt': 'two', 'two/inner/name.txt': 'inner', 'file.txt': '' };
  return makeFolder(files, onEnd);
}

/** What is mounted in a process and all below it. */
function mountsBelow(pid: number): string {
  let own = '';
  try {
    own = readFileSync(`/proc/${pid}/mountinfo`, 'utf8');
  } catch {
    // Gone, or not Linux.
  }
  return own + childrenOf(pid).map(mountsBelow).join('');
}

describe.each(eras)('the roots of the client, at %s', (era) => {
  let folder: string;
  let roots: string[] = [];
  const server = connectForAll(
    (onEnd) => {
      folder = makeProjects(onEnd);
      return always;
    },
    { era, roots: () => roots },
  );
  const run: Connected['run'] = (...args) => server().run(...args);

  /** Other roots, of which a server hears only by and by. */
  async function give(...uris: string[]): Promise<void> {
    roots = uris;
    if (era === '2025-11-25') await server().client.sendRootsListChanged();
  }
  async function expectValue(value: unknown): Promise<void> {
    await vi.waitFor(async () => expect((await run(whereAmI)).structuredContent.value).toBe(value));
  }

  it('are where scripts read, without --root', async () => {
    await give(uri(folder, 'one'));
    await expectValue('one');
    expect((await server().client.listTools()).tools[0]?.description).toContain('relative to the project folder');
    expect((await run(`read_file('../two/name.txt')`)).structuredContent).toMatchObject({
      status: 'failed',
      errorCode: 'capability_denied',
    });
  });

  it('may change', async () => {
    await give(uri(folder, 'one'));
    await expectValue('one');
    await give(uri(folder, 'two'));
    await expectValue('two');
  });

  it('count from the first one that is a folder', async () => {
    await give(uri(folder, 'one'));
    await expectValue('one');
    const bad = ['file://elsewhere/share%zz', uri(folder, 'gone'), uri(folder, 'file.txt')];
    await give(...bad, uri(folder, 'two'));
    await expectValue('two');
  });

  it('that are not there are an error that says so', async () => {
    await give(uri(folder, 'gone'), 'file://nonsense/');
    const answer = await vi.waitFor(async () => {
      const given = await run(whereAmI);
      expect(given).toMatchObject({ isError: true, structuredContent: { errorCode: 'invalid_request' } });
      return given;
    });
    expect(textOf(answer)).toContain("None of the client's roots is an existing folder");
    // A model has no use for where the host's folders lie.
    expect(textOf(answer)).not.toContain(folder);
    expect(textOf(answer)).toContain('--root DIR');
  });

  it.skipIf(!isLinux)('narrow --root without a way out of it: a media folder that is a link is not used', async () => {
    const target = makeFolder({ 'secret.txt': 'secret' });
    const root = makeFolder({ 'sub/name.txt': 'sub', '.dyad/': '' });
    symlinkSync(target, join(root, '.dyad/media'));
    // --root itself may be a link: the user wrote it.
    const link = join(makeFolder(), 'link');
    symlinkSync(root, link);
    const { run, pid } = await connect(['--root', link, ...always], { era, roots: () => [uri(root, 'sub')] });
    expect((await run(whereAmI)).structuredContent.value).toBe('sub');
    const { structuredContent } = await run(`'x'.repeat(100000)`);
    const name = String(structuredContent['fullOutput']);
    expect((await run(`read_file(${JSON.stringify(name)}).length`)).structuredContent.value).toBe(100_000);
    expect(readdirSync(target)).toEqual(['secret.txt']);
    expect(mountsBelow(pid)).not.toContain(` ${target} `);
  });

  it('narrow --root, and never widen it', async () => {
    const folder = makeProjects();
    let roots = [uri(folder, 'one'), uri(folder, 'two/inner')];
    const { run, client } = await connect(['--root', join(folder, 'two'), ...always], { era, roots: () => roots });
    expect((await run(whereAmI)).structuredContent.value).toBe('inner');
    for (roots of [[uri(folder)], [uri(folder, 'one')], [uri(folder, 'two/gone')], []]) {
      if (era === '2025-11-25') await client.sendRootsListChanged();
      await vi.waitFor(async () => expect((await run(whereAmI)).structuredContent.value).toBe('two'), {
        timeout: 120_000,
      });
    }
  });

  it('none: only attachments', async () => {
    const folder = makeProjects();
    const args = ['--attach', join(folder, 'one/name.txt'), ...always];
    const { run } = await connect(args, { era, roots: () => [] });
    expect((await run(`read_file('attachments:name.txt')`)).structuredContent.value).toBe('one');
    expect((await run(whereAmI)).isError).toBe(true);
  });

  it('are asked for together with consent', async () => {
    const folder = makeProjects();
    const questions: string[] = [];
    const { run } = await connect([], {
      era,
      roots: () => [uri(folder, 'one')],
      elicit: (message) => (
        questions.push(message),
        { action: 'accept', content: { permission: 'Allow this script' } }
      ),
    });
    expect((await run(whereAmI)).structuredContent.value).toBe('one');
    expect(questions).toEqual([expect.stringContaining(`the folder ${join(folder, 'one')}`)]);
  });
});

describe('the roots of the client', () => {
  it.skipIf(!isPosix)('that are links are what they lead to', async () => {
    const folder = makeProjects();
    mkdirSync(join(folder, 'three'));
    symlinkSync(join(folder, 'two'), join(folder, 'three/link'));
    const args = ['--root', join(folder, 'three'), ...always];
    const { run } = await connect(args, { roots: () => [uri(folder, 'three/link')] });
    // The link leads out of --root.
    expect((await run(`list_files().join()`)).structuredContent.value).not.toContain('name.txt');
  });

  it('are named in the log when only the first of them is used', async () => {
    const folder = makeProjects();
    const { run, logs } = await connect(always, { roots: () => [uri(folder, 'one'), uri(folder, 'two')] });
    expect((await run(whereAmI)).structuredContent.value).toBe('one');
    expect((await run(whereAmI)).structuredContent.value).toBe('one');
    // Once.
    const notices = logs.filter(({ level }) => level === 'notice').map(({ data }) => data);
    expect(notices).toEqual([{ message: expect.stringContaining(join(folder, 'two')) }]);
  });

  it('that the client cannot tell are an error, and the next call asks again', async () => {
    const folder = makeProjects();
    const roots = vi
      .fn(() => [uri(folder, 'one')])
      .mockImplementationOnce(() => {
        throw new Error('no roots today');
      });
    const { run } = await connect(always, { roots });
    expect(textOf(await run(whereAmI))).toContain('no roots today');
    expect((await run(whereAmI)).structuredContent.value).toBe('one');
  });

  it('that the client cannot tell change nothing about --root', async () => {
    const folder = makeProjects();
    const roots = (): never => {
      throw new Error('no roots today');
    };
    const { run, logs } = await connect(['--root', join(folder, 'two'), ...always], { roots });
    expect((await run(whereAmI)).structuredContent.value).toBe('two');
    await vi.waitFor(() => expect(JSON.stringify(logs)).toContain('no roots today'));
  });

  it('are not asked for when the client has none: the description says that there is no folder', async () => {
    const { client } = await connect(always);
    expect((await client.listTools()).tools[0]?.description).toContain('there is no project folder');
  });
});

it('a --root that is removed while the server runs is an error of the call, and works again when it is back', async () => {
  const folder = makeProjects();
  const root = join(folder, 'one');
  const { run } = await connect(['--root', root, ...always], { roots: () => [uri(folder, 'two')] });
  rmSync(root, { recursive: true });
  const answer = await run(whereAmI);
  expect(answer).toMatchObject({ isError: true, structuredContent: { status: 'failed' } });
  expect(textOf(answer)).toContain('root');
  mkdirSync(root);
  writeFileSync(join(root, 'name.txt'), 'again');
  expect((await run(whereAmI)).structuredContent.value).toBe('again');
});
