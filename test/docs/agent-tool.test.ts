import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { stripVTControlCharacters } from 'node:util';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import type { StoredAttachment } from '@mustard-sandbox/agent-tool';
import { attachmentBlock } from '../../packages/agent-tool/src/messages/local-agent.ts';
import { fill } from '../files/support.ts';
import { writeLog } from '../fixtures/log.ts';
import { runTogether, type Written } from './together.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const document = readFileSync(join(root, 'docs/agent-tool.md'), 'utf8');
const prelude = join(root, 'test/docs/fixtures/agent-tool-prelude.mjs');

interface Snippet {
  section: string;
  code: string;
  /** What it prints, by the comments in it or the text that follows; `…` is anything. */
  output: string;
}

const snippets: Snippet[] = document.split(/^## /m).flatMap((text) => {
  const section = text.split('\n', 1)[0] as string;
  const blocks = [...text.matchAll(/^```js\n([\s\S]*?)\n```$(?:\n+````text\n([\s\S]*?)\n````$)?/gm)];
  return blocks.map(([, code = '', text]) => {
    const lines = [...code.matchAll(/\/\/ → (.*)$/gm)].map(([, line]) => line as string);
    return { section, code, output: text ?? lines.join('\n') };
  });
});
const [chat, ...others] = snippets as [Snippet, ...Snippet[]];

/** An app's folder in which the packages are installed. */
function makeApp(onEnd: (remove: () => void) => void = onTestFinished): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'mustard-docs-')));
  onEnd(() => rmSync(folder, { recursive: true, force: true }));
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'), 'junction');
  fill(folder, { '.git/HEAD': 'ref: refs/heads/main\n' });
  return folder;
}

describe('the chat', () => {
  test('runs as pasted: it fails, is taught, and answers', async () => {
    const folder = makeApp();
    const path = join(folder, 'server.log');
    await writeLog(path, 8);
    writeFileSync(join(folder, 'chat.mjs'), chat.code);
    const { stdout, stderr } = await execa(process.execPath, ['chat.mjs', 'server.log'], { cwd: folder });
    const errors = readFileSync(path, 'latin1').match(/ ERROR /g)?.length;
    expect(stdout).toBe(`There are ${errors} errors.`);
    expect(stderr.split('\n').filter((line) => /^(?:attachment|sandbox)\./.test(line))).toEqual([
      'attachment.stored ',
      'sandbox.script.asked ',
      'sandbox.script.run ',
      expect.stringMatching(/^sandbox\.script\.failed /),
      'sandbox.script.asked ',
      'sandbox.script.run ',
      'sandbox.script.completed ',
    ]);
    expect(stderr).toContain(`May read: the folder ${folder}, server.log (8 MB)`);
    expect(readFileSync(join(folder, '.gitignore'), 'utf8')).toContain('.dyad/media');
    expect(existsSync(join(folder, '.dyad/media'))).toBe(true);
  });

  test.skipIf(process.platform === 'win32')('ends at once by Ctrl-C in the middle of a script', async () => {
    const folder = makeApp();
    fill(folder, { 'server.log': ' ERROR \n' });
    const endless = chat.code.replace(
      "`read_file('attachments:server.log').match(/ ERROR /g).length`",
      "'while (true) {}'",
    );
    expect(endless).not.toBe(chat.code);
    writeFileSync(join(folder, 'chat.mjs'), endless);
    const child = execa(process.execPath, ['chat.mjs', 'server.log'], { cwd: folder, reject: false });
    for await (const line of child.iterable({ from: 'stderr' })) {
      if (line.startsWith('sandbox.script.run')) child.kill('SIGINT');
    }
    const { stdout, stderr, exitCode } = await child;
    expect(exitCode).toBe(1);
    expect(stdout).toBe('');
    expect(stderr).toContain('sandbox.script.failed');
    expect(stderr).toContain("Your model didn't read the file");
    expect(stderr).toContain('AbortError');
  });
});

test('shows the block that names attachments as it is', () => {
  const log = { name: 'server.log', size: 80 * 1024 * 1024, mediaType: 'text/plain' } as StoredAttachment;
  expect(document).toContain(`\n\`\`\`text\n${attachmentBlock([log], true)}\n\`\`\`\n`);
});

describe('the snippets', () => {
  test('print something, in every section', () => {
    const sections = [...document.matchAll(/^## (.*)$/gm)].map(([, title]) => title);
    const silent = ['Events'];
    expect(new Set(others.map(({ section }) => section))).toEqual(
      new Set(sections.filter((title) => title !== chat.section && !silent.includes(title as string))),
    );
    for (const { output } of others) expect(output).not.toBe('');
  });

  const modules = new Map<Snippet, string>();
  const removes: (() => void)[] = [];
  let ended: Awaited<ReturnType<typeof runTogether>>;
  beforeAll(async () => {
    for (const snippet of others) {
      const folder = makeApp((remove) => removes.push(remove));
      const log = Array.from({ length: 200 }, (_, index) => `${index} ERROR E${index % 7} nothing of importance\n`);
      fill(folder, { 'server.log': log.join(''), 'docs/a.md': '# A\n', 'docs/b.md': '# B\n' });
      modules.set(snippet, join(folder, 'snippet.mjs'));
      writeFileSync(join(folder, 'snippet.mjs'), snippet.code);
    }
    ended = await runTogether([...modules.values()], prelude);
  });
  afterAll(() => {
    for (const remove of removes) remove();
  });

  test.each(
    others.map((snippet): [string, Snippet] => [`${snippet.section}: ${snippet.code.split('\n', 1)[0]}`, snippet]),
  )('%s', (_, snippet) => {
    const { stdout, stderr } = ended.written.get(modules.get(snippet) as string) as Written;
    expect(stderr).toBe('');
    const printed = stripVTControlCharacters(stdout);
    const parts = snippet.output.split('…').map((part) => part.replaceAll(/[$()*+.?[\\\]^{|}]/g, String.raw`\$&`));
    expect(printed).toMatch(new RegExp(`^${parts.join('[^]*?')}$`));
  });

  test('leave nothing that keeps their process alive', () => {
    expect(ended.exitCode).toBe(0);
  });
});
