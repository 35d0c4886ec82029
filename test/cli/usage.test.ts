import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { cliInProcess as cli } from './in-process.ts';
import { isPosix, makeFolder, parseOnly } from './support.ts';

const files = {
  'ok.js': '1',
  'nul.js': 'a\0b',
  'latin1.js': new Uint8Array([0x22, 0xe9, 0x22]),
  'big.bin': new Uint8Array(100_000).fill(0xff),
  'folder/': '',
  'a/same.txt': '1',
  'b/same.txt': '2',
  'two\nlines.txt': '3',
};

/** Each wrong command line, and what its message must name. */
const wrong: [string[], RegExp][] = [
  [[], /No command is given/],
  [['--nonsense'], /Unknown option '--nonsense'/],
  [['rnu', 'ok.js'], /Unknown command 'rnu'.*Did you mean run\?/s],
  [['run'], /Missing required argument 'file'/],
  [['run', 'ok.js', 'ok.js'], /Too many arguments for 'run'/],
  [['run', 'ok.js', '--rot', '.'], /Unknown option '--rot'.*Did you mean --root\?/s],
  [['validate', 'ok.js', '--timeout', '1s'], /Unknown option '--timeout'/],
  [['doctor', 'now'], /Too many arguments for 'doctor'/],

  [['run', 'nowhere.js'], /'nowhere.js' is not there/],
  [['run', 'ok.js/x'], /'ok.js\/x' is not there/],
  [['run', ''], /'' is not there/],
  [['run', 'folder'], /'folder' is a folder/],
  [['run', 'nul.js'], /'nul.js' is not a script: it is not UTF-8 text/],
  [['run', 'latin1.js'], /'latin1.js' is not a script: it is not UTF-8 text/],
  [['run', 'big.bin'], /'big.bin' is not a script: it is not UTF-8 text/],
  [['validate', 'nowhere.js'], /'nowhere.js' is not there/],
  [['validate', 'nul.js'], /not UTF-8 text/],

  [['run', 'ok.js', '--root'], /'--root <dir>' argument missing/],
  [['run', 'ok.js', '--root', 'nowhere'], /--root: there is no folder 'nowhere'/],
  [['run', 'ok.js', '--root', 'ok.js'], /--root: 'ok.js' is not a folder/],
  [['run', 'ok.js', '--root', ''], /--root: the path is empty/],

  [['run', 'ok.js', '--attach', 'nowhere.txt'], /--attach: there is no file 'nowhere.txt'/],
  [['run', 'ok.js', '--attach', 'name=nowhere.txt'], /--attach: there is no file 'nowhere.txt'/],
  [['run', 'ok.js', '--attach', 'folder'], /--attach: 'folder' is a folder.*--root/s],
  [['run', 'ok.js', '--attach', ''], /--attach: the path is empty/],
  [['run', 'ok.js', '--attach', 'two\nlines.txt'], /--attach: a script cannot write the name of .*NAME=FILE/s],
  [
    ['run', 'ok.js', '--attach', 'a/same.txt', '--attach', 'b/same.txt'],
    /'a\/same.txt' and 'b\/same.txt' would both be attachments:same.txt.*NAME=FILE/s,
  ],
  [['run', 'ok.js', '--attach', 'n=a/same.txt', '--attach', 'n=b/same.txt'], /would both be attachments:n\./],

  [['run', 'ok.js', '--isolation', 'container'], /--isolation: 'container' is not one of process, jail, auto/],
  [['run', 'ok.js', '--input', 'limit'], /'limit' is not NAME=JSON/],
  [['run', 'ok.js', '--input', 'name=bob'], /--input name: the value is not JSON.*'name="bob"'/s],
  [['run', 'ok.js', '--input', 'name='], /--input name: the value is not JSON/],
  [['run', 'ok.js', '--input', "name={'a':1}"], /--input name: the value is not JSON/],
  [['run', 'ok.js', '--input', '=1'], /--input: '' cannot be the name of a variable/],
  [['run', 'ok.js', '--input', 'two words=1'], /--input: 'two words' cannot be the name/],
  [['run', 'ok.js', '--input', 'n=1', '--input', 'n=2'], /--input: the name 'n' is there twice/],
  [['run', 'ok.js', '--input', 'read_file=1'], /'read_file' is taken/],

  [['run', 'ok.js', '--timeout', '5'], /--timeout: '5' is not a duration.*500ms, 2s or 1m/s],
  [['run', 'ok.js', '--timeout', 'soon'], /--timeout: 'soon' is not a duration/],
  [['run', 'ok.js', '--timeout', '-1s'], /--timeout: '-1s' is not a duration/],
  [['run', 'ok.js', '--timeout', '0s'], /--timeout: 0s is out of range. It can be from 1ms to 3600s/],
  [['run', 'ok.js', '--timeout', '3601s'], /--timeout: 3601s is out of range. It can be from 1ms to 3600s/],
  [['run', 'ok.js', '--timeout', `${'9'.repeat(400)}m`], /out of range/],
  [['run', 'ok.js', '--heap', 'much'], /--heap: 'much' is not a size/],
  [['run', 'ok.js', '--heap', '0'], /--heap: 0 is out of range/],
  [['run', 'ok.js', '--heap', '1gb'], /--heap: 1gb is out of range. It can be from 1 B to 256 MB/],
];

describe('a wrong command line', () => {
  it.each(wrong)('%j', async (args, message) => {
    const cwd = makeFolder(files);
    const ended = await cli(args, { cwd });
    expect(ended).toMatchObject({ exitCode: 2, stdout: '' });
    expect(ended.stderr).toMatch(/^error: invalid_request: /);
    expect(ended.stderr).toMatch(message);
  });

  it.each(wrong.slice(1))('%j with --json', async (args) => {
    const cwd = makeFolder(files);
    // First, so that it is no other option's value.
    const ended = await cli([...args.slice(0, 1), '--json', ...args.slice(1)], { cwd });
    expect(ended).toMatchObject({ exitCode: 2, stderr: '' });
    expect(parseOnly(ended)).toMatchObject({ ok: false, error: { code: 'invalid_request' } });
  });
});

describe('--json on a command line that makes little sense', () => {
  it.each([
    [['--json']],
    [['--json', 'run', 'ok.js']],
    [['run', '--json']],
    [['run', 'ok.js', '--json', '--json', '--what']],
    [['run', 'ok.js', '--json=yes']],
    [['run', 'ok.js', '--root', '--json']],
    [['run', 'ok.js', '--input', '--json']],
    [['run', '-', '--json', '--attach', '\u001b[31m\n']],
    [['run', '\n\n', '--json']],
    [['validate', '--json', '--json']],
    [['doctor', '--json', '\u009b']],
    [['nonsense', '--json']],
  ])('%j', async (args) => {
    const ended = await cli(args, { cwd: makeFolder(files) });
    expect(ended).toMatchObject({ exitCode: 2, stderr: '' });
    expect(parseOnly(ended)).toMatchObject({ ok: false, error: { code: 'invalid_request' } });
  });

  it('is a file name after --', async () => {
    const cwd = makeFolder({ '--json': '"plain"' });
    expect(await cli(['run', '--', '--json'], { cwd })).toMatchObject({ exitCode: 0, stdout: 'plain\n' });
  });
});

// Root may read everything.
it.skipIf(!isPosix || process.getuid?.() === 0)('a script that may not be read is said to be that', async () => {
  const cwd = makeFolder({ 'secret.js': '1' });
  chmodSync(join(cwd, 'secret.js'), 0);
  const { exitCode, stderr } = await cli(['run', 'secret.js'], { cwd });
  expect(exitCode).toBe(2);
  expect(stderr).toContain("'secret.js' cannot be read: its permissions do not allow it");
});
