import { execFileSync } from 'node:child_process';
import { appendFileSync, linkSync, mkdirSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import type { ContextGlobs } from '../../../packages/desktop-agent/src/shared/contract/index.ts';
import {
  contextFiles,
  defaultLimits,
  describeContext,
} from '../../../packages/desktop-agent/src/server/context/index.ts';
import { endWorkers } from '../../../packages/desktop-agent/src/server/worker/index.ts';
import { appWith, put } from './support.ts';

afterAll(endWorkers);

const everything: ContextGlobs = { include: [], exclude: [], strict: false };

async function paths(app: string, globs: Partial<ContextGlobs> = {}): Promise<string[]> {
  return (await contextFiles(app, { ...everything, ...globs })).files.map(({ path }) => path);
}

describe('which files', () => {
  const app = appWith({
    'z.ts': 'z',
    'src/a.ts': 'a',
    'src/notes.xyz': 'named only',
    'package-lock.json': '{}',
    'src/lib.min.js': ';',
    Dockerfile: 'FROM scratch',
    'docs/guide.md': '# Guide',
    '.env': 'KEY=secret',
    'config/id_rsa': 'secret',
    '.git/config': 'secret',
    'node_modules/x/index.js': 'not the app',
    'dist/out.js': 'built',
    '.gitignore': 'dist\n',
    'src/.gitignore': '*.gen.ts\n!keep.gen.ts\n',
    'src/a.gen.ts': '',
    'src/keep.gen.ts': '',
  });

  test('source text that git does not ignore, the least recently changed first', async () => {
    expect(await paths(app)).toEqual(['z.ts', 'src/a.ts', 'Dockerfile', 'docs/guide.md', 'src/keep.gen.ts']);
  });

  test('include adds, exclude takes away, strict takes only what is included', async () => {
    expect(await paths(app, { include: ['src/*.xyz'] })).toContain('src/notes.xyz');
    expect(await paths(app, { exclude: ['src'] })).toEqual(['z.ts', 'Dockerfile', 'docs/guide.md']);
    expect(await paths(app, { include: ['./src/'], strict: true })).toEqual([
      ...['src/a.ts', 'src/notes.xyz', 'src/lib.min.js', 'src/.gitignore', 'src/keep.gen.ts'],
    ]);
    expect(await paths(app, { include: ['src/**'], exclude: ['**/*.ts'], strict: true })).not.toContain('src/a.ts');
    expect(await paths(app, { strict: true })).toEqual([]);
  });

  test('no pattern gets secrets, .git or node_modules in', async () => {
    const all = await paths(app, { include: ['**', '**/*', '.env', '.git/**', 'node_modules/**', '../**', '/etc/**'] });
    expect(all.join()).not.toMatch(/\.env|id_rsa|\.git\/|node_modules|\.\./);
    expect(all).toContain('src/notes.xyz');
  });
});

describe('what is in them', () => {
  test('is read again when it changed, also with the same size and time', async () => {
    const app = appWith({ 'a.ts': 'one', 'b.ts': 'two' });
    expect((await contextFiles(app, everything)).files.map(({ content }) => content)).toEqual(['one', 'two']);
    writeFileSync(join(app, 'a.ts'), 'six');
    utimesSync(join(app, 'a.ts'), 1_700_000_000, 1_700_000_000);
    expect((await contextFiles(app, everything)).files.map(({ content }) => content)).toEqual(['six', 'two']);
    appendFileSync(join(app, 'a.ts'), '!');
    expect((await contextFiles(app, everything)).files).toEqual([
      { path: 'b.ts', content: 'two' },
      { path: 'a.ts', content: 'six!' },
    ]);
    rmSync(join(app, 'b.ts'));
    expect(await paths(app)).toEqual(['a.ts']);
  });

  test('what is left out is named with the reason and counted', async () => {
    const app = appWith({
      'binary.ts': Buffer.from([0x61, 0, 0x62]),
      'latin1.ts': Buffer.from([0xe4, 0xf6]),
      'large.ts': 'x'.repeat(300),
      'old.ts': 'o'.repeat(80),
      'new.ts': 'n'.repeat(80),
    });
    const limits = { fileBytes: 200, totalBytes: 100 };
    const { files, omitted, omittedCount, complete } = await contextFiles(app, everything, { limits });
    expect({ paths: files.map(({ path }) => path), omittedCount, complete }).toEqual({
      paths: ['new.ts'],
      omittedCount: 4,
      complete: true,
    });
    expect(Object.fromEntries(omitted.map(({ path, why }) => [path, why]))).toMatchObject({
      'large.ts': 'too-large',
      'old.ts': 'limit',
    });
    const whole = await contextFiles(app, everything);
    expect(Object.fromEntries(whole.omitted.map(({ path, why }) => [path, why]))).toEqual({
      'binary.ts': 'binary',
      'latin1.ts': 'binary',
    });
  });

  test('the page gets tokens by file and in total, without contents', async () => {
    const app = appWith({ 'b.ts': 'hello world', 'a.ts': '<|endoftext|>', 'c.ts': Buffer.from([0]) });
    const { files, tokens, ...rest } = await describeContext(app, everything);
    expect(files.map(({ path }) => path)).toEqual(['a.ts', 'b.ts', 'c.ts']);
    expect(files[1]).toEqual({ path: 'b.ts', bytes: 11, tokens: 2 });
    expect(files[0]?.tokens).toBeGreaterThan(1);
    expect(files[2]).toEqual({ path: 'c.ts', bytes: 1, tokens: 0, omitted: 'binary' });
    expect(tokens).toBe(2 + (files[0]?.tokens ?? 0));
    expect(rest).toEqual({ taken: 2, omitted: 1, complete: true, rules: [], skills: [] });
  });

  test('the page gets what the rules of the app are, and whether all of them are taken', async () => {
    const app = appWith({ 'AI_RULES.md': 'hello world' });
    expect((await describeContext(app, everything)).rules).toEqual([{ path: 'AI_RULES.md', tokens: 2, cut: false }]);
    const long = appWith({ 'AI_RULES.md': 'word '.repeat(20_000) });
    expect((await describeContext(long, everything)).rules).toMatchObject([{ cut: true }]);
  });

  test('of very many files the page gets the first, and numbers of all', async () => {
    const app = appWith({ '0.bin': '\0' });
    // One file by many names, which takes a third of the time of many files.
    for (let index = 1; index < 10_050; index++) linkSync(join(app, '0.bin'), join(app, `${index}.bin`));
    const { files, taken, omitted } = await describeContext(app, { include: ['*.bin'], exclude: [], strict: true });
    expect({ listed: files.length, taken, omitted }).toEqual({ listed: 10_000, taken: 0, omitted: 10_050 });
  });

  test('a proposal is read as if it were made, and stands last', async () => {
    const app = appWith({ 'a.ts': 'a', 'b.ts': 'b', 'old/c.ts': 'c', 'gone/d.ts': 'd' });
    const overlay = {
      deletes: ['gone'],
      renames: [{ from: 'old', to: 'new' }],
      writes: [
        { path: 'a.ts', content: 'A' },
        { path: 'e.ts', content: 'e' },
        { path: 'f.xyz', content: 'not source' },
      ],
    };
    const { files } = await contextFiles(app, everything, { overlay });
    expect(files).toEqual([
      { path: 'b.ts', content: 'b' },
      { path: 'new/c.ts', content: 'c' },
      { path: 'a.ts', content: 'A' },
      { path: 'e.ts', content: 'e' },
    ]);
    expect(await paths(app)).toEqual(['a.ts', 'b.ts', 'old/c.ts', 'gone/d.ts']);
  });
});

describe('a hostile app', () => {
  test('with pipes, links, loops and folders that cannot be read is read without them', async () => {
    const app = appWith({ 'a.ts': 'a', 'closed/b.ts': 'b' });
    const outside = appWith({ 'secret.ts': 'outside' });
    execFileSync('mkfifo', [join(app, 'pipe.ts'), join(app, '.gitignore')]);
    symlinkSync(join(outside, 'secret.ts'), join(app, 'link.ts'));
    symlinkSync(outside, join(app, 'linked'));
    symlinkSync('.', join(app, 'loop'));
    symlinkSync('/dev/zero', join(app, 'zero.ts'));
    execFileSync('chmod', ['000', join(app, 'closed')]);
    const found = await paths(app, { include: ['**'] });
    execFileSync('chmod', ['700', join(app, 'closed')]);
    // Root may read it all the same.
    expect(found.filter((path) => path !== 'closed/b.ts')).toEqual(['a.ts']);
  });

  test('that takes for ever is given up, and the next one is read', async () => {
    const app = appWith({ [`${'a'.repeat(200)}.ts`]: 'a' });
    const globs = { ...everything, include: [`${'*a'.repeat(12)}*b`] };
    const tooLong = contextFiles(app, globs, { timeoutMs: 1000 });
    const next = paths(appWith({ 'b.ts': 'b' }));
    await expect(tooLong).rejects.toMatchObject({ code: 'limit_exceeded' });
    expect(await next).toEqual(['b.ts']);
  });

  test('that is gone is an error that says so; so is a cancel', async () => {
    const app = appWith({ 'a.ts': 'a' });
    rmSync(app, { recursive: true });
    await expect(contextFiles(app, everything)).rejects.toMatchObject({ code: 'not_found' });
    await expect(contextFiles(app, everything, { signal: AbortSignal.abort() })).rejects.toMatchObject({
      name: 'AbortError',
    });
    mkdirSync(app);
    put(app, { 'c.ts': 'c' });
    expect(await paths(app)).toEqual(['c.ts']);
  });
});

test('the default limits are those that a model of 200,000 tokens takes', () => {
  expect(defaultLimits.totalBytes / 4).toBeLessThan(200_000);
});
