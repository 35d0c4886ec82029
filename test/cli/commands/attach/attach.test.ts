import { execFileSync, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { cliInProcess as cli } from '../../in-process.ts';
import { isPosix, main, makeFolder, parseOnly } from '../../support.ts';

interface Stored {
  name: string;
  path: string;
  size: number;
  mediaType: string;
}

const mediaOf = (cwd: string): string => join(cwd, '.dyad/media');

/** The stored files, whole or not. */
function filesIn(media: string): string[] {
  return existsSync(media)
    ? readdirSync(media).filter((name) => !/^(?:manifest\.|\.lock$|\.gitignore$)/.test(name))
    : [];
}

async function listed(cwd: string, ...args: string[]): Promise<Stored[]> {
  return parseOnly(await cli(['ls', '--json', ...args], { cwd }))['attachments'] as Stored[];
}

/** A file system of its own at `folder`, for this test; whether that worked. Takes root. */
function mount(folder: string, size: string): boolean {
  if (spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${size}`, 'none', folder]).status !== 0) return false;
  onTestFinished(() => void execFileSync('umount', [folder]));
  return true;
}

describe('attach', () => {
  it('stores files whole, and says what scripts call them', async () => {
    const cwd = makeFolder({ 'server.log': 'one\ntwo\n', 'logs/server.log': 'other', 'a b.bin': new Uint8Array(2048) });
    const { exitCode, stdout, stderr } = await cli(['attach', 'server.log', 'logs/server.log', 'a b.bin'], { cwd });
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    expect(stdout.replaceAll(/ +(?=\d)/g, '  ')).toBe(
      [
        'attachments:server.log    8 B  text/plain',
        'attachments:server-2.log  5 B  text/plain',
        'attachments:a b.bin       2 KB  application/octet-stream\n',
      ]
        .join('\n')
        .replaceAll(/ +(?=\d)/g, '  '),
    );
    const files = await listed(cwd);
    expect(files.map(({ path }) => readFileSync(path).length)).toEqual([8, 5, 2048]);
  });

  it('takes stdin, byte by byte as it is, and needs a name for it', async () => {
    const cwd = makeFolder();
    const input = randomBytes(100_000);
    const ended = await cli(['attach', '-', '--name', 'dump.bin', '--json'], { cwd, input });
    const [stored] = parseOnly(ended)['stored'] as Stored[];
    expect(stored).toMatchObject({ name: 'dump.bin', size: input.length });
    expect(readFileSync(stored?.path as string).equals(input)).toBe(true);
    const nameless = await cli(['attach', '-'], { cwd, input: 'x' });
    expect(nameless).toMatchObject({ exitCode: 2, stdout: '', stderr: expect.stringContaining('--name') });
  });

  it('stores below --root and --media-dir, and nowhere else', async () => {
    const cwd = makeFolder({ 'app/': '', 'a.txt': 'a' });
    const where = ['--root', 'app', '--media-dir', 'kept/files'];
    expect((await cli(['attach', 'a.txt', '--name', 'b.txt', ...where], { cwd })).exitCode).toBe(0);
    expect(await listed(cwd, ...where)).toMatchObject([{ name: 'b.txt' }]);
    expect(existsSync(join(cwd, 'app/kept/files'))).toBe(true);
    expect(readdirSync(cwd).sort()).toEqual(['a.txt', 'app']);
  });

  it('has git ignore the folder, says so once, and not with --no-gitignore', async () => {
    const cwd = makeFolder({ 'a.txt': 'a', '.git/HEAD': 'ref: refs/heads/main\n' });
    await cli(['attach', 'a.txt', '--no-gitignore'], { cwd });
    expect(existsSync(join(cwd, '.gitignore'))).toBe(false);
    expect((await cli(['attach', 'a.txt'], { cwd })).stderr).toBe(
      `${join(cwd, '.gitignore')} now has the media folder.\n`,
    );
    expect(readFileSync(join(cwd, '.gitignore'), 'utf8')).toBe('/.dyad/media/\n');
    expect((await cli(['attach', 'a.txt'], { cwd })).stderr).toBe('');
  });

  it('stores although .gitignore cannot be written, and says so', async () => {
    const cwd = makeFolder({ 'a.txt': 'a', '.git/HEAD': 'ref: refs/heads/main\n', '.gitignore/': '' });
    const { exitCode, stderr } = await cli(['attach', 'a.txt'], { cwd });
    expect(exitCode).toBe(0);
    expect(stderr).toMatch(/^warning: git does not ignore the media folder: .*\.gitignore/);
    expect(await listed(cwd)).toHaveLength(1);
  });
});

describe('attach refuses, and stores nothing of all it was given,', () => {
  it.each([
    ['a file that is not there', ['a.txt', 'nowhere.log'], "there is no file 'nowhere.log'"],
    ['a folder', ['a.txt', 'logs'], "'logs' is a folder.\nhint: to store the files in it"],
    ['an empty path', ['a.txt', ''], 'the path is empty'],
    ['one name for two files', ['a.txt', 'a.txt', '--name', 'b'], '--name: it can name one file'],
    ['an empty name', ['a.txt', '--name', ''], 'the name is empty'],
    ['a root that is not there', ['a.txt', '--root', 'nowhere'], "--root: there is no folder 'nowhere'"],
    ['a media folder outside', ['a.txt', '--media-dir', '../out'], "--media-dir: '../out' is not"],
  ])('%s', async (_, args, problem) => {
    const cwd = makeFolder({ 'a.txt': 'a', 'logs/': '' });
    const ended = await cli(['attach', ...args], { cwd });
    expect(ended).toMatchObject({ exitCode: 2, stdout: '', stderr: expect.stringContaining(problem) });
    expect(readdirSync(cwd).sort()).toEqual(['a.txt', 'logs']);
    expect(parseOnly(await cli(['attach', '--json', ...args], { cwd }))).toMatchObject({ ok: false });
  });

  it.skipIf(!isPosix)('a FIFO, without waiting for it', async () => {
    const cwd = makeFolder({ 'a.txt': 'a' });
    execFileSync('mkfifo', [join(cwd, 'pipe')]);
    const ended = await cli(['attach', 'a.txt', 'pipe'], { cwd });
    expect(ended).toMatchObject({ exitCode: 2, stderr: expect.stringContaining("'pipe' is not a regular file") });
  });

  it.skipIf(!isPosix || process.getuid?.() === 0)('an unreadable file', async () => {
    const cwd = makeFolder({ 'a.txt': 'a' });
    chmodSync(join(cwd, 'a.txt'), 0o000);
    const ended = await cli(['attach', 'a.txt'], { cwd });
    expect(ended).toMatchObject({ exitCode: 2, stderr: expect.stringContaining("'a.txt' cannot be read") });
  });
});

describe('the media folder', () => {
  it('is full: the code says so, what was there and what came before stays', async ({ skip }) => {
    const cwd = makeFolder({ '.dyad/media/': '', 'small.txt': 'small', 'big.bin': randomBytes(2 * 1024 * 1024) });
    if (!mount(mediaOf(cwd), '1m')) skip('cannot mount');
    const args = ['attach', 'small.txt', 'big.bin'];
    const ended = await cli(args, { cwd });
    expect(ended).toMatchObject({ exitCode: 4, stdout: 'attachments:small.txt  5 B  text/plain\n' });
    expect(ended.stderr).toMatch(/^error: disk_full: There is no space left/);
    const report = parseOnly(await cli([...args, '--json'], { cwd }));
    expect(report).toMatchObject({ ok: false, error: { code: 'disk_full' }, stored: [{ name: 'small.txt' }] });
    expect(filesIn(mediaOf(cwd))).toHaveLength(1);
  });

  it('is a file', async () => {
    const cwd = makeFolder({ 'a.txt': 'a', '.dyad/media': '' });
    for (const args of [['attach', 'a.txt'], ['ls'], ['clean', '--all']]) {
      const { exitCode, stderr } = await cli(args, { cwd });
      expect({ exitCode, stderr }).toEqual({ exitCode: 2, stderr: expect.stringMatching(/^error: not_a_file: /) });
    }
  });

  it('was written by a newer version, and is left alone', async () => {
    const cwd = makeFolder({ 'a.txt': 'a' });
    mkdirSync(mediaOf(cwd), { recursive: true });
    const manifest = join(mediaOf(cwd), 'manifest.json');
    const future = '{"schema":"mustard-sandbox/attachments","version":1000,"attachments":{}}';
    writeFileSync(manifest, future);
    for (const args of [['attach', 'a.txt'], ['ls'], ['clean']]) {
      const { exitCode, stderr } = await cli(args, { cwd });
      expect({ exitCode, stderr }).toEqual({ exitCode: 2, stderr: expect.stringMatching(/^error: newer_version: /) });
    }
    expect(readFileSync(manifest, 'utf8')).toBe(future);
  });
});

// Windows has no signals to send.
describe.skipIf(!isPosix)('attach that is stopped', () => {
  it('leaves nothing of the file under way', async () => {
    const cwd = makeFolder();
    const subprocess = execa(process.execPath, [main, 'attach', '-', '--name', 'endless'], { cwd, reject: false });
    onTestFinished(() => void subprocess.kill('SIGKILL'));
    // More than a chunk, so that some of it is on disk.
    subprocess.stdin.write(Buffer.alloc(1024 * 1024));
    await vi.waitFor(() => expect(filesIn(mediaOf(cwd))).toHaveLength(1));
    subprocess.kill('SIGINT');
    const { exitCode, stdout, stderr } = await subprocess;
    expect({ exitCode, stdout }).toEqual({ exitCode: 3, stdout: '' });
    expect(stderr).toMatch(/^error: cancelled: /);
    expect(filesIn(mediaOf(cwd))).toEqual([]);
  });

  it('is not stopped by a reader that goes away', async () => {
    const files = Object.fromEntries(Array.from({ length: 20 }, (_, n) => [`${n}.txt`, `${n}`]));
    const cwd = makeFolder(files);
    const command = '"$0" "$1" attach *.txt | head -1; echo "${PIPESTATUS[0]}"';
    const { stdout, stderr } = await execa('bash', ['-c', command, process.execPath, main], { cwd });
    expect({ stdout, stderr }).toEqual({ stdout: expect.stringMatching(/^attachments:0\.txt .*\n0$/), stderr: '' });
    expect(await listed(cwd)).toHaveLength(20);
  });
});

describe('ls', () => {
  it('has a row for each, in their order, and the sum on stderr', async () => {
    const cwd = makeFolder({ 'a.txt': 'same', 'b.csv': 'x,y\n' });
    await cli(['attach', 'a.txt', 'b.csv'], { cwd });
    await cli(['attach', 'a.txt', '--name', 'again.txt'], { cwd });
    const { exitCode, stdout, stderr } = await cli(['ls'], { cwd });
    expect(exitCode).toBe(0);
    const rows = stdout.trimEnd().split('\n');
    expect(rows.map((row) => row.split(/ {2,}/)[0])).toEqual([
      'attachments:a.txt',
      'attachments:b.csv',
      'attachments:again.txt',
    ]);
    expect(rows[1]).toMatch(/ 4 B {2}text\/csv {2,}\d{4}-\d\d-\d\d \d\d:\d\d$/);
    // The same content is there once.
    expect(stderr).toBe(`3 in ${mediaOf(cwd)} · 8 B on disk\n`);
  });

  it('of nothing makes no folder', async () => {
    const cwd = makeFolder();
    expect(await cli(['ls'], { cwd })).toMatchObject({ exitCode: 0, stdout: '' });
    expect(await cli(['ls', '--quiet'], { cwd })).toEqual({ exitCode: 0, stdout: '', stderr: '' });
    expect(await listed(cwd)).toEqual([]);
    expect(readdirSync(cwd)).toEqual([]);
  });
});

describe('--stored', () => {
  it('lets a script read what is stored, and not the folder around it', async () => {
    const cwd = makeFolder({ 'a.txt': 'one', 'b=c.txt': 'two' });
    await cli(['attach', 'a.txt', 'b=c.txt'], { cwd });
    const script = '[read_file("attachments:a.txt"), read_file("attachments:b=c.txt")].join()';
    expect(await cli(['run', '-', '--stored', '--quiet'], { cwd, input: script })).toMatchObject({
      exitCode: 0,
      stdout: 'one,two\n',
    });
    expect(await cli(['run', '-', '--stored'], { cwd, input: 'read_file("a.txt")' })).toMatchObject({ exitCode: 1 });
    expect((await cli(['run', '-'], { cwd, input: script })).exitCode).toBe(1);
    const outside = await cli(['repl', '--stored', '--root', cwd, '--quiet'], { input: `${script}\n` });
    expect(outside).toMatchObject({ exitCode: 0, stdout: "'one,two'\n" });
  });

  it('refuses a file that would have the name of a stored one', async () => {
    const cwd = makeFolder({ 'a.txt': 'one' });
    await cli(['attach', 'a.txt'], { cwd });
    const ended = await cli(['run', '-', '--stored', '--attach', 'a.txt'], { cwd, input: '1' });
    expect(ended).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('attachments:a.txt, which is stored') });
    const both = ['--stored', '--attach', 'now=a.txt', '--quiet'];
    const input = 'read_file("attachments:now") + read_file("attachments:a.txt")';
    expect(await cli(['run', '-', ...both], { cwd, input })).toMatchObject({ exitCode: 0, stdout: 'oneone\n' });
  });
});
