import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { describe, expect, test } from 'vitest';
import { makeFolder } from '../../files/support.ts';

const ask = fileURLToPath(new URL('fixtures/ask.mjs', import.meta.url));

test('without a terminal nobody is asked, and all is attached', async () => {
  const folder = makeFolder({ 'a.txt': 'more than eight' });
  const { stdout, stderr } = await execa(process.execPath, [ask, folder], { input: 'n\n' });
  expect(stdout).toBe('{"status":"prepared","truncated":[]}');
  expect(stderr).toBe('');
});

/** Types into a real terminal, each text once the one before it in `dialogue` is shown. */
async function onTerminal(folder: string, dialogue: [shown: string, typed: string][]): Promise<string> {
  const child = execa('script', ['-qec', `"${process.execPath}" "${ask}" "${folder}"`, '/dev/null'], {
    reject: false,
    timeout: 120_000,
  });
  const rest = [...dialogue];
  let seen = '';
  child.stdout.on('data', (chunk: Buffer) => {
    seen += chunk.toString();
    const [next] = rest;
    if (next === undefined || !seen.includes(next[0])) return;
    rest.shift();
    seen = '';
    child.stdin.write(next[1]);
  });
  const { stdout } = await child;
  expect(rest).toEqual([]);
  // oxlint-disable-next-line no-control-regex
  return stdout.replace(/\u001b\[[\d;?]*[A-Za-z]/g, '').replaceAll('\r', '');
}

async function hasScript(): Promise<boolean> {
  const { stdout } = await execa('script', ['--version'], { reject: false });
  return stdout?.includes('util-linux') ?? false;
}

describe.skipIf(!(await hasScript()))('on a terminal', () => {
  const question = 'Attach large content? [y,t,n,?]?';

  test.each<[string, [string, string][], string]>([
    ['y attaches', [[question, 'y\r']], '{"status":"prepared","truncated":[]}'],
    ['t truncates', [[question, 't\r']], '{"status":"prepared","truncated":["a.txt"]}'],
    ['n cancels', [[question, 'n\r']], '{"status":"cancelled"}'],
    [
      '? explains, anything else is asked again',
      [
        [question, '?\r'],
        [question, 'what\r'],
        [question, 'Y\r'],
      ],
      '{"status":"prepared","truncated":[]}',
    ],
    ['Ctrl-C cancels', [[question, '\u0003']], '{"status":"cancelled"}'],
    ['Ctrl-D cancels', [[question, '\u0004']], '{"status":"cancelled"}'],
  ])('%s', async (_, dialogue, outcome) => {
    const folder = makeFolder({ 'a.txt': 'more than eight' });
    const seen = await onTerminal(folder, dialogue);
    expect(seen).toContain(`⚠ Attachments total 15 B (threshold: 8 B)\n\n  *.txt  — 1 file, 15 B\n\n${question}`);
    expect(seen.trimEnd().split('\n').at(-1)).toBe(outcome);
  });
});
