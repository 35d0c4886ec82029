/** How a terminal shows a chart. Kitty and iTerm2 each have a protocol for images, which other terminals took over. */
export type Graphics = 'kitty' | 'iterm' | 'braille' | 'none';

/** What `--graphics` may be. */
export const graphicsChoices = ['auto', 'kitty', 'iterm', 'braille', 'none'] as const;

/** An image is as wide as the drawing in a page, about, and never wider than the terminal. */
const mostColumns = 80;

/**
 * How to show charts, by what the user chose and what the terminal says of itself. What is no terminal gets characters,
 * whatever was chosen.
 */
export function graphicsOf(choice: string, isTTY: boolean, env: NodeJS.ProcessEnv): Graphics {
  if (choice === 'none') return 'none';
  if (!isTTY || choice === 'braille') return 'braille';
  if (choice === 'kitty' || choice === 'iterm') return choice;
  return graphicsOfTerminal(env);
}

function graphicsOfTerminal(env: NodeJS.ProcessEnv): Graphics {
  const { TERM = '', TERM_PROGRAM, LC_TERMINAL } = env;
  // These draw the screen themselves, and the variables of the terminal around them are still set.
  const isInside = [env['TMUX'], env['STY'], env['ZELLIJ']].some((value) => value !== undefined && value !== '');
  if (isInside || /^(?:screen|tmux|dumb$)/.test(TERM)) return 'braille';
  if (TERM === 'xterm-kitty' || TERM === 'xterm-ghostty' || TERM_PROGRAM === 'ghostty') return 'kitty';
  if (TERM_PROGRAM === 'iTerm.app' || LC_TERMINAL === 'iTerm2' || TERM_PROGRAM === 'WezTerm') return 'iterm';
  return env['KITTY_WINDOW_ID'] !== undefined && TERM_PROGRAM === undefined ? 'kitty' : 'braille';
}

/** A PNG as what makes the terminal show it at the cursor, at most as wide as `columns`. */
export function imageIn(graphics: 'kitty' | 'iterm', png: Uint8Array, columns: number): string {
  const base64 = Buffer.from(png.buffer, png.byteOffset, png.byteLength).toString('base64');
  const width = Math.max(1, Math.min(columns, mostColumns));
  return graphics === 'kitty' ? kittyImage(base64, width) : itermImage(base64, png.byteLength, width);
}

/** The protocol takes at most so many characters of base64 at a time. */
const kittyChunk = 4096;

/**
 * Kitty's graphics protocol: transmit and show (`a=T`) a PNG (`f=100`) over `c` columns; its height follows. With `q=2`
 * the terminal does not answer, because an answer would be typed into the shell.
 */
function kittyImage(base64: string, columns: number): string {
  let image = '';
  for (let start = 0; start < base64.length; start += kittyChunk) {
    const isLast = start + kittyChunk >= base64.length;
    const keys = start === 0 ? `a=T,f=100,q=2,c=${columns},` : 'q=2,';
    image += `\u001b_G${keys}m=${isLast ? 0 : 1};${base64.slice(start, start + kittyChunk)}\u001b\\`;
  }
  return image;
}

/** iTerm2's protocol for inline images. `size` is in bytes, and `width` in columns; the height follows. */
function itermImage(base64: string, size: number, columns: number): string {
  return `\u001b]1337;File=inline=1;size=${size};width=${columns};preserveAspectRatio=1:${base64}\u0007`;
}
