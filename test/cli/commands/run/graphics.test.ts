import { execFileSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { PNG } from 'pngjs';
import { describe, expect, it } from 'vitest';
import { drawCharts } from '../../../../packages/cli/src/commands/run/charts.ts';
import { graphicsOf, imageIn } from '../../../../packages/cli/src/commands/run/graphics.ts';
import { runScriptInProcess as runScript } from '../../in-process.ts';
import { noTerminal, Terminal } from '../../pty.ts';
import { isPosix, makeFolder } from '../../support.ts';

describe('what the terminal shows charts as', () => {
  it.each<[string, NodeJS.ProcessEnv]>([
    ['kitty', { TERM: 'xterm-kitty', KITTY_WINDOW_ID: '1' }],
    ['kitty', { TERM: 'xterm-256color', KITTY_WINDOW_ID: '1' }],
    ['kitty', { TERM: 'xterm-ghostty', TERM_PROGRAM: 'ghostty' }],
    ['iterm', { TERM: 'xterm-256color', TERM_PROGRAM: 'iTerm.app' }],
    ['iterm', { TERM: 'xterm-256color', LC_TERMINAL: 'iTerm2' }],
    ['iterm', { TERM: 'xterm-256color', TERM_PROGRAM: 'WezTerm' }],
    ['kitty', { TERM: 'xterm-kitty', NO_COLOR: '1' }],
    ['braille', { TERM: 'xterm-256color' }],
    ['braille', {}],
    ['braille', { TERM: 'xterm-256color', TERM_PROGRAM: 'Apple_Terminal' }],
    // An editor that was started from kitty has a terminal of its own.
    ['braille', { TERM: 'xterm-256color', TERM_PROGRAM: 'vscode', KITTY_WINDOW_ID: '1' }],
    ['braille', { TERM: 'dumb', TERM_PROGRAM: 'iTerm.app' }],
    ['braille', { TERM: 'tmux-256color', KITTY_WINDOW_ID: '1' }],
    ['braille', { TERM: 'xterm-kitty', TMUX: '/tmp/tmux-0/default,1,0' }],
    ['braille', { TERM: 'screen-256color', TERM_PROGRAM: 'iTerm.app' }],
    ['braille', { TERM: 'xterm-kitty', STY: '1.pts' }],
    ['braille', { TERM: 'xterm-ghostty', ZELLIJ: '0' }],
  ])('is %s with %j', (expected, env) => {
    expect(graphicsOf('auto', true, env)).toBe(expected);
    expect(graphicsOf('auto', false, env)).toBe('braille');
    for (const choice of ['kitty', 'iterm', 'braille']) {
      expect(graphicsOf(choice, true, env)).toBe(choice);
      expect(graphicsOf(choice, false, env)).toBe('braille');
    }
    expect(graphicsOf('none', true, env)).toBe('none');
  });
});

describe('the protocols', () => {
  const bytes = Uint8Array.of(0x89, 0x50, 0x4e, 0x47);

  it('of kitty, byte by byte', () => {
    expect(imageIn('kitty', bytes, 40)).toBe('\u001b_Ga=T,f=100,q=2,c=40,m=0;iVBORw==\u001b\\');
    // 4096 characters of base64 are 3072 bytes.
    const long = new Uint8Array(3073);
    expect(imageIn('kitty', long, 200)).toBe(
      `\u001b_Ga=T,f=100,q=2,c=80,m=1;${'A'.repeat(4096)}\u001b\\\u001b_Gq=2,m=0;AA==\u001b\\`,
    );
    expect(imageIn('kitty', long.subarray(1), 80)).toBe(`\u001b_Ga=T,f=100,q=2,c=80,m=0;${'A'.repeat(4096)}\u001b\\`);
  });

  it('of iTerm2, byte by byte', () => {
    expect(imageIn('iterm', bytes, 40)).toBe(
      '\u001b]1337;File=inline=1;size=4;width=40;preserveAspectRatio=1:iVBORw==\u0007',
    );
  });

  it('keep every byte of an image of any size', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 1, maxLength: 20_000, size: 'max' }), (image) => {
        expect(read(imageIn('kitty', image, 80))).toEqual(Buffer.from(image));
      }),
    );
  });
});

/** Reads kitty's protocol as its document has it, and nothing else. */
function read(text: string): Buffer {
  const parts = text.split('\u001b\\');
  expect(parts.pop()).toBe('');
  const data = parts.map((part, index) => {
    const [, keys = '', payload = ''] = /^_G([^;]*);([A-Za-z0-9+/=]*)$/.exec(part.slice(1)) ?? [];
    expect(part[0]).toBe('\u001b');
    const isLast = index === parts.length - 1;
    expect(keys.split(',')).toContain(`m=${isLast ? 0 : 1}`);
    expect(payload.length).toBeLessThanOrEqual(4096);
    if (!isLast) expect(payload.length % 4).toBe(0);
    return payload;
  });
  return Buffer.from(data.join(''), 'base64');
}

const script = `chart({ type: 'bar', data: { north: 1, south: 2 }, x: 'key', y: 'value', name: 'sales' }).name`;

describe('a chart of a run', () => {
  it('is a PNG beside its SVG, in any case, and is not shown with none', async () => {
    const out = makeFolder();
    const { exitCode, stderr } = await runScript(script, '--out', out, '--graphics', 'none');
    expect(exitCode).toBe(0);
    expect(stderr).toMatch(/saved sales\.chart\.svg\nsaved sales\.chart\.png\n(?!.*│)/s);
    const { width, height } = PNG.sync.read(await readFile(join(out, 'sales.chart.png')));
    expect(width).toBe(1440);
    expect(height).toBeGreaterThan(300);
  });

  it('is characters in a pipe, even if images were chosen', async () => {
    const { stderr } = await runScript(script, '--out', makeFolder(), '--graphics', 'kitty');
    expect(stderr).toContain('saved sales.chart.png\nnorth │');
    expect(stderr).not.toContain('\u001b');
  });

  it.skipIf(!isPosix).each([
    ['a link', 'ln', ['-s', '/etc/hostname']],
    ['a pipe that nobody writes', 'mkfifo', []],
  ])('is not drawn when %s is in its place', async (_, program, args) => {
    const path = join(makeFolder(), 'a.chart.json');
    execFileSync(program, [...args, path]);
    expect(await drawCharts([{ name: 'a.chart.json', path, size: 1, head: '' }])).toEqual([
      { name: 'a.chart.json', problem: expect.stringMatching(/ELOOP|no file by now/) },
    ]);
  });

  it('with a kind that there is not is a mistake', async () => {
    const { exitCode, stderr } = await runScript('1', '--graphics', 'sixel');
    expect(exitCode).not.toBe(0);
    expect(stderr).toContain('auto, kitty, iterm, braille, none');
  });

  const show = async (env: Record<string, string>, ...more: string[]): Promise<{ shown: string; png: Buffer }> => {
    const cwd = makeFolder({ 'sales.js': script });
    const terminal = new Terminal(['run', 'sales.js', '--out', 'out', ...more], { cwd, env });
    expect(await terminal.exitCode()).toBe(0);
    return { shown: terminal.shown, png: await readFile(join(cwd, 'out/sales.chart.png')) };
  };

  it.skipIf(noTerminal !== undefined)('is its PNG in kitty', async () => {
    const { shown, png } = await show({ TERM: 'xterm-kitty' });
    const image = /<ESC>_G.*<ESC>\\/s.exec(shown)?.[0] ?? '';
    expect(read(image.replaceAll('<ESC>', '\u001b'))).toEqual(png);
    expect(shown).not.toContain('north │');
  });

  it.skipIf(noTerminal !== undefined)('is its PNG in iTerm2', async () => {
    const { shown, png } = await show({ TERM_PROGRAM: 'iTerm.app' });
    expect(shown).toContain(`size=${png.byteLength};width=80;preserveAspectRatio=1:${png.toString('base64')}\u0007`);
  });

  it.skipIf(noTerminal !== undefined)('is characters in tmux, and an image there only if it is asked for', async () => {
    const tmux = { TERM: 'xterm-kitty', TMUX: '/tmp/tmux-0/default,1,0' };
    const { shown } = await show(tmux);
    expect(shown).toContain('north │');
    expect(shown).not.toMatch(/<ESC>[_\]]/);
    expect((await show(tmux, '--graphics', 'kitty')).shown).toContain('<ESC>_Ga=T');
  });
});
