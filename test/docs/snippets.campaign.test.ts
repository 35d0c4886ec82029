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
import { runTogether, type Written } from './together.ts';

const commands = {
  'mustard-sandbox': join(root, 'packages/cli/dist/main.js'),
  'mustard-agent': join(root, 'packages/desktop-agent/bin/mustard-agent.js'),
};

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
  for (const [name, program] of Object.entries(commands)) {
    const command = `#!/bin/sh\nexec "${process.execPath}" "${program}" "$@"\n`;
    writeFileSync(join(folder, 'bin', name), command, { mode: 0o755 });
  }
  for (const name of ['examples', 'node_modules']) symlinkSync(join(root, name), join(folder, name), 'junction');
  return folder;
}

let cwd: string;
beforeAll(() => {
  cwd = makeWorkplace();
});
afterAll(() => rmSync(cwd, { recursive: true, force: true }));

interface Ended {
  stdout: string;
  problems: { exitCode: number | undefined; stderr: string };
}

async function runSh(code: string): Promise<Ended> {
  const env = { PATH: `${join(cwd, 'bin')}:${process.env['PATH']}` };
  const { stdout, stderr, exitCode } = await execa('/bin/sh', ['-e', '-c', code], { cwd, env, reject: false });
  return { stdout, problems: { exitCode, stderr } };
}

const before = 'before each example';

/** The examples of all pages that are run, each by its place and with what the page puts before it. */
const examples = pages.flatMap((page) => {
  const blocks = blocksOf(page);
  const start = blocks.filter(({ mark }) => mark === before).map(({ code }) => `${code}\n`);
  return blocks
    .filter(({ mark }) => mark === undefined)
    .map(({ language, line, code }) => ({
      language,
      place: `docs/${page}:${line}`,
      code: language === 'js' ? start.join('') + code : code,
    }));
});
const inLanguage = (wanted: Block['language']): [string, string][] =>
  examples.filter(({ language }) => language === wanted).map(({ place, code }) => [place, code]);

describe('in JavaScript', () => {
  const modules = inLanguage('js').map(([place, code], index) => ({ place, code, file: `example-${index}.mjs` }));
  let ended: Awaited<ReturnType<typeof runTogether>>;
  beforeAll(async () => {
    const paths = modules.map(({ file, code }) => {
      writeFileSync(join(cwd, file), code);
      return join(cwd, file);
    });
    ended = await runTogether(paths);
  });

  it.each(modules)('the example at $place runs', ({ file, code }) => {
    const { stdout, stderr } = ended.written.get(join(cwd, file)) as Written;
    expect(stderr).toBe('');
    expect(stdout).toMatch(printed(code) ?? /^/);
  });

  it('leave nothing that keeps their process alive', () => {
    expect(ended.exitCode).toBe(0);
  });
});

it.skipIf(process.platform === 'win32').each(inLanguage('sh'))('the commands at %s run', async (_, code) => {
  const { stdout, problems } = await runSh(code);
  expect(problems).toEqual({ exitCode: 0, stderr: expect.not.stringContaining('error:') });
  expect(stdout).not.toBe('');
});

it.each(pages)('docs/%s says of each example that is not run why', (page) => {
  const marks = blocksOf(page).flatMap(({ mark }) => mark ?? []);
  expect(marks.filter((mark) => mark !== before && !/^not run: .{10,}/.test(mark))).toEqual([]);
  // Another name for the language would hide an example from all this.
  const text = readFileSync(join(root, 'docs', page), 'utf8');
  expect(text.match(/^```(?:javascript|mjs|bash|shell|console|zsh)\b/gm)).toBeNull();
});

test('what an example prints is compared with what it says', () => {
  expect('1\nab 2.5 ms').toMatch(printed('f(); // → 1\ng(); // → ab … ms') as RegExp);
  expect('1\nab 2.5 s').not.toMatch(printed('f(); // → 1\ng(); // → ab … ms') as RegExp);
  expect(printed('f(); // a comment')).toBeUndefined();
});
