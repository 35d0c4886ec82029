import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { cliInProcess as cli } from '../in-process.ts';
import { makeFolder, parseOnly } from '../support.ts';

const png = Buffer.from('89504e470d0a1a0a0000000d494844520000000100000001080200000090', 'hex');

interface Message {
  message: { role: string; content: { type: string; text?: string; image?: string; data?: string }[] };
  stored: { name: string; path: string }[];
  truncated: string[];
  totalBytes: number;
}

async function prepared(cwd: string, ...args: string[]): Promise<Message> {
  const report = parseOnly(await cli(['message', ...args, '--json'], { cwd }));
  expect(report).toMatchObject({ ok: true });
  return report as unknown as Message;
}

describe('message for an agent', () => {
  it('stores what is attached, and names it before the text', async () => {
    const cwd = makeFolder({ 'logs/a.log': 'one\n', 'logs/b.log': 'two\n', 'p.png': png });
    const { exitCode, stdout } = await cli(['message', 'Why?', '--attach', 'logs/*.log', '--attach', 'p.png'], { cwd });
    expect(exitCode).toBe(0);
    expect(stdout).toBe(
      [
        '[image: image/png, 30 B]',
        '',
        'Attachments available on disk (use attachments:<name> with read_file / execute_sandbox_script):',
        '- attachments:a.log (4 B, text/plain)',
        '- attachments:b.log (4 B, text/plain)',
        '- attachments:p.png (30 B, image/png)',
        '',
        'Why?\n',
      ].join('\n'),
    );
    const { message, stored } = await prepared(cwd, 'Why?', '--attach', 'logs/b.log', '--attach', 'p.png');
    expect(stored.map(({ path }) => readFileSync(path).length)).toEqual([4, png.length]);
    expect(Buffer.from(message.content[0]?.image as string, 'base64').equals(png)).toBe(true);
    expect(message.content.map(({ type }) => type)).toEqual(['image', 'text', 'text']);
  });

  it('says when no scripts can run', async () => {
    const cwd = makeFolder({ 'a.log': 'one\n' });
    const { stdout } = await cli(['message', 'Why?', '--attach', 'a.log', '--no-scripting'], { cwd });
    expect(stdout).toContain('(sandbox scripting unavailable):\n- attachments:a.log');
  });

  it('stores below --root what is named from the working directory, and has git ignore it', async () => {
    const cwd = makeFolder({ 'a.log': 'one\n', 'app/.git/HEAD': 'ref: refs/heads/main\n' });
    const { stderr } = await cli(['message', 'Why?', '--attach', 'a.log', '--root', 'app'], { cwd });
    expect(stderr).toMatch(/app\/\.gitignore now has the media folder\.\n2 parts · \d+ B · attachments of 4 B\n$/);
    expect(existsSync(join(cwd, 'app/.dyad/media/manifest.json'))).toBe(true);
    expect(existsSync(join(cwd, '.dyad'))).toBe(false);
  });
});

describe('message for a chat without tools', () => {
  const chat = ['--mode', 'default-chat'];

  it('inlines texts, and stores nothing', async () => {
    const cwd = makeFolder({ 'a.log': 'one\n', 'x.bin': new Uint8Array([0, 1, 2]) });
    const args = ['message', 'Why?', '--attach', 'a.log', '--attach', 'x.bin', '--quiet', ...chat];
    expect(await cli(args, { cwd })).toEqual({
      exitCode: 0,
      stdout: 'Attachment: a.log (4 B)\n```\none\n```\n\n[file: application/octet-stream, 3 B, x.bin]\n\nWhy?\n',
      stderr: '',
    });
    expect(existsSync(join(cwd, '.dyad'))).toBe(false);
    const { message } = await prepared(cwd, 'Why?', '--attach', 'x.bin', ...chat);
    expect(message.content[0]).toMatchObject({ type: 'file', data: 'AAEC', filename: 'x.bin' });
  });

  const large = ['Why?', '--attach', 'a.log', '--size-threshold', '1kb', ...chat];

  it('truncates by policy, to what was asked for', async () => {
    const cwd = makeFolder({ 'a.log': 'x'.repeat(2000) });
    const { message, truncated, totalBytes } = await prepared(cwd, ...large, '--size-policy', 'truncate');
    expect({ truncated, totalBytes }).toEqual({ truncated: ['a.log'], totalBytes: 2000 });
    expect(message.content[0]?.text).toMatch(/[^x]x{512}\.\.\. \[truncated, 2 KB → 512 B\]/);
    const less = await prepared(cwd, ...large, '--size-policy', 'truncate', '--truncate-to', '10b');
    expect(less.message.content[0]?.text).toMatch(/[^x]x{10}\.\.\. /);
  });

  it('rejects by policy, with both numbers', async () => {
    const cwd = makeFolder({ 'a.log': 'x'.repeat(2000) });
    const ended = await cli(['message', ...large, '--size-policy', 'reject'], { cwd });
    expect(ended).toMatchObject({ exitCode: 1, stdout: '' });
    expect(ended.stderr).toMatch(/^error: limit_exceeded: .*2 KB \(threshold: 1 KB\).*\nhint: .*--size-threshold/s);
  });

  it('attaches where nobody can be asked, and says so', async () => {
    const cwd = makeFolder({ 'a.log': 'x'.repeat(2000) });
    const { exitCode, stdout, stderr } = await cli(['message', ...large], { cwd });
    expect(exitCode).toBe(0);
    expect(stdout).toContain('x'.repeat(2000));
    expect(stderr).toContain('attached without asking');
  });
});

describe('the text of a message', () => {
  it('comes from stdin, without the newline at its end', async () => {
    const ended = await cli(['message', '-', '--json'], { input: 'Wie groß?\n\n' });
    expect(parseOnly(ended)).toMatchObject({ message: { content: [{ type: 'text', text: 'Wie groß?\n' }] } });
  });

  it.each([
    [['-'], Buffer.from([0xff, 0xfe, 0x00]), 'Stdin is not UTF-8 text'],
    [['-'], Buffer.alloc(16 * 1024 * 1024 + 1, 'x'), 'Stdin has more than 16 MB'],
    [[''], '', 'neither a text nor an attachment'],
    [['-'], '\n', 'message: there is neither a text nor an attachment'],
    [['x', '--attach', 'nowhere.log'], '', 'attachment "nowhere.log": there is no file'],
    [['x', '--attach', '*.log'], '', 'the pattern matches no file'],
    [['x', '--attach', 'logs'], '', 'is a folder'],
    [['x', '--size-threshold', 'much'], '', "--size-threshold: 'much' is not a size"],
    [['x', '--truncate-to', 'less'], '', "--truncate-to: 'less' is not a size"],
    [['x', '--mode', 'oracle'], '', "'oracle' is invalid"],
    [['x', '--root', 'nowhere'], '', "--root: there is no folder 'nowhere'"],
  ])('%j is refused when something is wrong', async (args, input, problem) => {
    const cwd = makeFolder({ 'logs/': '' });
    const ended = await cli(['message', ...args], { cwd, input });
    expect(ended).toMatchObject({ exitCode: 2, stdout: '', stderr: expect.stringContaining(problem) });
    expect(existsSync(join(cwd, '.dyad'))).toBe(false);
  });
});
