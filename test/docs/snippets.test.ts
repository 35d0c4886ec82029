import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import { blocksOf, pages, printed, root, type Block } from './blocks.ts';

const main = join(root, 'packages/cli/dist/main.js');

/** What the examples find in their working folder. */
function makeWorkplace(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'mustard-docs-')));
  const log = Array.from({ length: 30 }, (_, n) => `12:00:${n} ${n % 3 === 0 ? `ERROR E${n % 2}` : 'INFO ok'} done\n`);
  writeFileSync(join(folder, 'server.log'), log.join(''));
  mkdirSync(join(folder, 'project'));
  writeFileSync(join(folder, 'project/notes.txt'), 'one\ntwo\n');
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
  cpSync(join(root, 'test/docs/fixtures/model.js'), join(folder, 'model.js'));
  mkdirSync(join(folder, 'bin'));
  const command = `#!/bin/sh\nexec "${process.execPath}" "${main}" "$@"\n`;
  writeFileSync(join(folder, 'bin/mustard-sandbox'), command, { mode: 0o755 });
  for (const name of ['examples', 'node_modules']) symlinkSync(join(root, name), join(folder, name), 'junction');
  return folder;
}

let cwd: string;
beforeAll(() => {
  cwd = makeWorkplace();
});
afterAll(() => rmSync(cwd, { recursive: true, force: true }));

async function runJs(code: string): Promise<void> {
  const { stdout, stderr, exitCode } = await execa(process.execPath, ['--input-type=module'], {
    input: code,
    cwd,
    reject: false,
  });
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
  const expected = printed(code);
  if (expected !== undefined) expect(stdout).toMatch(expected);
}

async function runSh(code: string): Promise<void> {
  const env = { PATH: `${join(cwd, 'bin')}:${process.env['PATH']}` };
  const { stdout, stderr, exitCode } = await execa('/bin/sh', ['-e', '-c', code], { cwd, env, reject: false });
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: expect.not.stringContaining('error:') });
  expect(stdout).not.toBe('');
}

const isRun = ({ mark }: Block): boolean => mark === undefined || mark === 'before each example';

describe.each(pages)('docs/%s', (page) => {
  const blocks = blocksOf(page);
  const before = blocks.filter(({ mark }) => mark === 'before each example').map(({ code }) => `${code}\n`);
  const titled = (language: string): [number, Block][] =>
    blocks.filter((block) => block.language === language && isRun(block)).map((block) => [block.line, block]);

  const js = titled('js').filter(([, { mark }]) => before.length === 0 || mark === undefined);
  if (js.length > 0) it.each(js)('its example at line %i runs', (_, { code }) => runJs(before.join('') + code));

  const sh = titled('sh');
  const onPosix = it.skipIf(process.platform === 'win32');
  if (sh.length > 0) onPosix.each(sh)('its commands at line %i run', (_, { code }) => runSh(code));

  it('says of each example that is not run why', () => {
    const marks = blocks.flatMap(({ mark }) => mark ?? []);
    const wrong = marks.filter((mark) => mark !== 'before each example' && !/^not run: .{10,}/.test(mark));
    expect(wrong).toEqual([]);
    // Another name for the language would hide an example from all this.
    const text = readFileSync(join(root, 'docs', page), 'utf8');
    expect(text.match(/^```(?:javascript|mjs|bash|shell|console|zsh)\b/gm)).toBeNull();
  });
});

test('what an example prints is compared with what it says', () => {
  expect('1\nab 2.5 ms').toMatch(printed('f(); // → 1\ng(); // → ab … ms') as RegExp);
  expect('1\nab 2.5 s').not.toMatch(printed('f(); // → 1\ng(); // → ab … ms') as RegExp);
  expect(printed('f(); // a comment')).toBeUndefined();
});
