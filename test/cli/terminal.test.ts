import { execa } from 'execa';
import { beforeAll, describe, expect, it } from 'vitest';
import { isLinux, main, makeFolder } from './support.ts';

/** What the command shows on a terminal, for which util-linux's `script` makes one. */
async function onTerminal(args: string, script: string, env: NodeJS.ProcessEnv = {}): Promise<string> {
  const cwd = makeFolder({ 'script.js': script });
  const { stdout } = await execa('script', ['-qec', `"${process.execPath}" "${main}" ${args}`, '/dev/null'], {
    cwd,
    env: { TERM: 'xterm', NO_COLOR: '', ...env },
    reject: false,
  });
  // Visible, for the tests to match.
  return stdout.replaceAll('\u001b', '<ESC>');
}

let hasScript = false;
beforeAll(async () => {
  const { stdout } = await execa('script', ['--version'], { reject: false });
  hasScript = isLinux && stdout.includes('util-linux');
});

describe('on a terminal', () => {
  it('escapes what could drive it, and dims the statistics', async ({ skip }) => {
    skip(!hasScript, 'needs util-linux');
    const shown = await onTerminal('run script.js', '"a\\u001b[31m\\r\\u009b\\u202e\\tb\\nc"');
    // On a slow machine there was a sign of life before it.
    expect(shown).toMatch(/(?:^|<ESC>\[K)a\\u\{1b\}\[31m\\u\{d\}\\u\{9b\}\\u\{202e\}\tb\r\nc\r\n/);
    expect(shown).toMatch(/<ESC>\[2m[\d.]+ m?s · \d+ instructions<ESC>\[22m/);
  });

  it('colours errors', async ({ skip }) => {
    skip(!hasScript, 'needs util-linux');
    expect(await onTerminal('run nowhere.js', '')).toMatch(/^<ESC>\[31merror:<ESC>\[39m invalid_request: /);
  });

  it.for([{ NO_COLOR: '1' }, { TERM: 'dumb' }])('has no colours with %j', async (env, { skip }) => {
    skip(!hasScript, 'needs util-linux');
    // A slow machine has a sign of life, which is erased by moving the cursor; that is not a colour.
    expect(await onTerminal('run script.js', '1', env)).not.toMatch(/<ESC>\[[\d;]*m/);
    expect(await onTerminal('run nowhere.js', '', env)).not.toMatch(/<ESC>\[[\d;]*m/);
  });

  it('moves no cursor on a terminal that cannot', async ({ skip }) => {
    skip(!hasScript, 'needs util-linux');
    expect(await onTerminal('run script.js', '1', { TERM: 'dumb' })).not.toContain('<ESC>');
  });
});
