import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { createSandbox, type ScopeOptions } from '@mustard-sandbox/client';
import { describe, expect, it } from 'vitest';
import { failureOf, pidOf, recorded, sandbox } from '../client/support.ts';
import { makeFolder, noJail } from './support.ts';

const isolations = noJail === undefined ? (['process', 'jail'] as const) : (['process'] as const);
const isPosix = process.platform !== 'win32';

function refusalOf(options: Parameters<typeof createSandbox>[0]): unknown {
  try {
    createSandbox(options);
  } catch (error) {
    return error;
  }
  return undefined;
}

describe('the option roots', () => {
  it('refuses what is not there, and says so', () => {
    const missing = join(makeFolder(), 'later');
    for (const isolation of ['process', 'jail', 'auto'] as const) {
      expect(refusalOf({ isolation, roots: [missing] })).toMatchObject({
        code: 'invalid_request',
        message: expect.stringMatching(/roots: ".*later" is not there.*ENOENT.*create it before the sandbox/) as string,
      });
    }
    expect(refusalOf({ roots: [''] })).toMatchObject({
      code: 'invalid_request',
      message: expect.stringMatching(/empty/),
    });
  });

  it.skipIf(!isPosix)('refuses what is neither a folder nor a regular file', () => {
    expect(refusalOf({ roots: ['/dev/null'] })).toMatchObject({
      code: 'invalid_request',
      message: expect.stringMatching(/neither a folder nor a regular file/),
    });
  });

  it.skipIf(process.platform !== 'linux').each([
    ['no roots', { isolation: 'jail' as const }, /`roots`/],
    ['a command', { isolation: 'jail' as const, roots: [], command: ['node'] }, /`command`/],
    ['the whole disk', { isolation: 'jail' as const, roots: ['/'] }, /whole file system/],
  ])('a jail with %s is refused at creation', (_, options, message) => {
    expect(refusalOf(options)).toMatchObject({
      code: 'invalid_request',
      message: expect.stringMatching(message),
    });
  });

  it.each([
    [{}, 'roots'],
    [{ roots: ['.'], command: [process.execPath] }, 'command'],
  ])('auto without what a jail needs is a process, and says why', (options, why) => {
    const box = createSandbox(options);
    const expected = { requested: 'auto', active: 'process', reason: expect.stringContaining(why) as string };
    expect(box.stats().isolation).toEqual(
      process.platform === 'linux' ? expected : expect.objectContaining({ active: 'process' }),
    );
  });
});

describe.each(isolations)('a run in a sandbox with roots, isolation %s', (isolation) => {
  const valueOf = async (scope: ScopeOptions, script: string, roots: string[]): Promise<unknown> => {
    const box = sandbox({ isolation, roots, spares: 0, maxProcesses: 1 });
    return (await box.run({ script, scope })).value;
  };

  it('reads roots that are folders, files, inside one another, links, and relative', async () => {
    const folder = makeFolder();
    mkdirSync(join(folder, 'a/b'), { recursive: true });
    writeFileSync(join(folder, 'a/b/deep.txt'), 'deep');
    writeFileSync(join(folder, 'single.txt'), 'single');
    writeFileSync(join(folder, 'beside.txt'), 'beside');
    symlinkSync(join(folder, 'a'), join(folder, 'link'), 'junction');
    const roots = [
      join(folder, 'a'),
      join(folder, 'a/b'),
      join(folder, 'link'),
      relative('.', join(folder, 'single.txt')),
    ];
    const box = sandbox({ isolation, roots, spares: 0 });
    const root = join(folder, 'link');
    const attachments = [{ name: 'one', path: join(folder, 'single.txt') }];
    const script = `read_file('b/deep.txt') + read_file('attachments:one')`;
    await expect(box.run({ script, scope: { root, attachments } })).resolves.toMatchObject({ value: 'deepsingle' });
    const inner = { root: join(folder, 'link/b') };
    await expect(box.run({ script: `list_files()`, scope: inner })).resolves.toMatchObject({ value: ['deep.txt'] });
    for (const scope of [{ root: folder }, { attachments: [{ name: 'x', path: join(folder, 'beside.txt') }] }]) {
      const error = await failureOf(box.run({ script: '1', scope }));
      expect(error).toMatchObject({ code: 'invalid_request', message: expect.stringMatching(/`roots`/) as string });
      expect(error.message).not.toContain(folder);
    }
  });

  it.skipIf(!isPosix)('takes any name', async () => {
    const folder = makeFolder();
    const names = ['with space', 'with\nnewline', 'wïth ünïcode 😀', '"quoted\' $HOME `x`', '--ro-bind', 'c:o:l', '\\'];
    for (const name of names) {
      mkdirSync(join(folder, name));
      writeFileSync(join(folder, name, 'file.txt'), name);
    }
    const box = sandbox({ isolation, roots: names.map((name) => join(folder, name)), spares: 0 });
    for (const name of names) {
      const run = box.run({ script: `read_file('file.txt')`, scope: { root: join(folder, name) } });
      await expect(run).resolves.toMatchObject({ value: name });
    }
  });

  it('answers a script the same about links that lead out, and about what is not there', async () => {
    const folder = makeFolder();
    mkdirSync(join(folder, 'root'));
    mkdirSync(join(folder, 'outside'));
    writeFileSync(join(folder, 'outside/secret.txt'), 'secret');
    symlinkSync(join(folder, 'outside'), join(folder, 'root/out'), 'junction');
    const script = `
      const answers = [];
      for (const path of ['out', 'out/secret.txt', 'missing.txt', '../outside/secret.txt']) {
        try { answers.push(read_file(path)); } catch (error) { answers.push([error.name, error.code, error.message]); }
        try { answers.push(file_stats(path).size); } catch (error) { answers.push([error.name, error.code]); }
      }
      [answers, list_files()]`;
    const scope = { root: join(folder, 'root') };
    const box = sandbox({ spares: 0 });
    const { value } = await box.run({ script, scope });
    expect(JSON.stringify(value)).toContain('outside the root, denied, or missing');
    expect(await valueOf(scope, script, [join(folder, 'root')])).toEqual(value);
  });

  it('says which of the two is not there', async () => {
    const folder = makeFolder();
    const box = sandbox({ isolation, roots: [folder], spares: 0 });
    const gone = join(folder, 'gone');
    const ofRoot = await failureOf(box.run({ script: '1', scope: { root: gone } }));
    expect(ofRoot).toMatchObject({
      code: 'invalid_request',
      message: 'scope.root is not there or cannot be reached (ENOENT).',
    });
    const ofFile = await failureOf(box.run({ script: '1', scope: { attachments: [{ name: 'g', path: gone }] } }));
    expect(ofFile.message).toBe('scope.attachments: "g" is not there or cannot be reached (ENOENT).');
  });

  it('sees a root that was replaced by another of its name, and one that comes back', async () => {
    const folder = makeFolder();
    const file = join(folder, 'file.txt');
    const root = join(folder, 'root');
    writeFileSync(file, 'old');
    mkdirSync(root);
    const box = sandbox({ isolation, roots: [file, root], spares: 1, maxProcesses: 1 });
    const scope = { root, attachments: [{ name: 'f', path: file }] };
    const look = async (): Promise<unknown> =>
      (await box.run({ script: `[read_file('attachments:f'), list_files()]`, scope })).value;
    expect(await look()).toEqual(['old', []]);
    // As an editor saves, and as git checks out.
    writeFileSync(`${file}.new`, 'new');
    renameSync(`${file}.new`, file);
    rmSync(root, { recursive: true });
    mkdirSync(root);
    writeFileSync(join(root, 'fresh'), '');
    expect(await look()).toEqual(['new', ['fresh']]);

    rmSync(file);
    expect((await failureOf(look())).message).toMatch(/"f" is not there/);
    await expect(box.run({ script: `list_files()`, scope: { root } })).resolves.toMatchObject({ value: ['fresh'] });
    writeFileSync(file, 'back');
    expect(await look()).toEqual(['back', ['fresh']]);
    expect(box.stats().totals.crashes).toBe(0);
  });

  it.skipIf(!isPosix)(
    'reads nothing by a root that became a link, wherever it leads, and goes on with the others',
    async () => {
      const folder = makeFolder();
      const [root, other] = [join(folder, 'root'), join(folder, 'other')];
      mkdirSync(other);
      mkdirSync(join(folder, 'outside'));
      writeFileSync(join(folder, 'outside/secret.txt'), 'secret');
      // Each of them before any sidecar is started, and after.
      for (const target of ['root', 'nowhere', 'outside', other]) {
        mkdirSync(root);
        const early = sandbox({ isolation, roots: [root, other], spares: 0, maxProcesses: 1 });
        const late = sandbox({ isolation, roots: [root, other], spares: 0, maxProcesses: 1 });
        await late.run({ script: `list_files()`, scope: { root } });
        rmSync(root, { recursive: true });
        symlinkSync(target, root);
        for (const box of [early, late]) {
          await expect(box.run({ script: `list_files()`, scope: { root: other } })).resolves.toMatchObject({
            value: [],
          });
          expect(box.stats().isolation.active).toBe(isolation);
          const attachments = [{ name: 'x', path: join(root, 'secret.txt') }];
          for (const scope of target === other ? [{ attachments }] : [{ root }, { attachments }]) {
            const error = await failureOf(box.run({ script: `1`, scope }));
            expect(error).toMatchObject({ code: 'invalid_request' });
            expect(JSON.stringify(error)).not.toContain(folder);
          }
        }
        if (target === 'outside') {
          // Back in place, its sidecars see what is there now and not what the link led to.
          rmSync(root);
          mkdirSync(root);
          for (const box of [early, late]) {
            await expect(box.run({ script: `list_files()`, scope: { root } })).resolves.toMatchObject({ value: [] });
          }
        }
        rmSync(root, { recursive: true });
      }
    },
  );

  it.skipIf(!isPosix)('refuses an attachment that is a link out of the roots, and takes one within them', async () => {
    const folder = makeFolder();
    const root = join(folder, 'root');
    mkdirSync(root);
    writeFileSync(join(folder, 'secret.txt'), 'secret');
    writeFileSync(join(root, '.env'), 'chosen');
    symlinkSync('../secret.txt', join(root, 'out'));
    symlinkSync('.env', join(root, 'in'));
    const box = sandbox({ isolation, roots: [root], spares: 0 });
    const read = async (name: string): Promise<unknown> => {
      const attachments = [{ name, path: join(root, name) }];
      return (await box.run({ script: `read_file('attachments:${name}')`, scope: { attachments } })).value;
    };
    // The host chose it, under whatever name it lies.
    expect(await read('in')).toBe('chosen');
    const error = await failureOf(read('out'));
    expect(error).toMatchObject({ code: 'invalid_request', message: expect.stringMatching(/"out" lies outside/) });
    expect(error.message).not.toContain(folder);
  });
});

describe.skipIf(noJail !== undefined)('what is told', () => {
  it('in stats and events: what was asked for, what is, and by what', async () => {
    const box = sandbox({ roots: [], spares: 0 });
    const events = recorded(box);
    expect(box.stats().isolation).toEqual({ requested: 'auto', active: undefined });
    await box.warm();
    expect(box.stats().isolation).toEqual({
      requested: 'auto',
      active: 'jail',
      by: expect.stringMatching(/^bubblewrap \d/) as string,
    });
    expect(events[0]).toMatchObject({ event: 'spawned', facts: { isolation: 'jail' } });
    const pid = pidOf(box);
    expect(events.at(-1)).toMatchObject({ event: 'ready', facts: { pid } });
    expect(events[0]).toMatchObject({ facts: { pid: undefined } });
  });
});
