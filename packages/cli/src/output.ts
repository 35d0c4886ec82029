import { constants, readFileSync, readlinkSync } from 'node:fs';
import { styleText } from 'node:util';

type Style = Parameters<typeof styleText>[0];

/** `text` in colour, if `stream` is a terminal with colours and the user has not turned them off. */
export function styled(stream: NodeJS.WriteStream, style: Style, text: string): string {
  // `styleText` itself checks only stdout, which may be a pipe while stderr is a terminal.
  return hasColours(stream) ? styleText(style, text, { validateStream: false }) : text;
}

/** `FORCE_COLOR` decides before `NO_COLOR`, as in Node itself. */
export function hasColours(stream: NodeJS.WriteStream): boolean {
  const { FORCE_COLOR, NO_COLOR } = process.env;
  if (FORCE_COLOR !== undefined) return !['0', 'false'].includes(FORCE_COLOR);
  return canMoveCursor(stream) && (NO_COLOR === undefined || NO_COLOR === '');
}

/** Whether the stream is a terminal that understands more than lines of text. */
export function canMoveCursor(stream: NodeJS.WriteStream): boolean {
  return stream.isTTY && process.env['TERM'] !== 'dumb';
}

/**
 * How many characters fit into a line of the terminal now, because it can be resized. `Infinity` without a terminal.
 */
export function widthOf(stream: NodeJS.WriteStream): number {
  // A terminal that does not know its own size says 0.
  return stream.isTTY && stream.columns > 0 ? stream.columns : Infinity;
}

export function writeLine(stream: NodeJS.WriteStream, text: string): void {
  stream.write(text.endsWith('\n') ? text : `${text}\n`);
}

/**
 * Whether all output would silently be lost, because stdout was closed when the process began, as by `>&-`. Node then
 * opens /dev/null in its place, for reading and writing, while a shell opens `> /dev/null` only for writing. Node's
 * `stdio: 'ignore'` for stdout looks the same as a closed one. If stderr is like that too, a program has turned off
 * both on purpose. Always false on systems other than Linux.
 */
export function isStdoutClosed(): boolean {
  try {
    return isStandIn(1) && !isStandIn(2);
  } catch {
    return false;
  }
}

function isStandIn(fd: number): boolean {
  if (readlinkSync(`/proc/self/fd/${fd}`) !== '/dev/null') return false;
  const flags = /^flags:\s*([0-7]+)$/m.exec(readFileSync(`/proc/self/fdinfo/${fd}`, 'latin1'))?.[1] ?? '0';
  return (Number.parseInt(flags, 8) & accessMode) === constants.O_RDWR;
}

const accessMode = 3;

/**
 * Calls `onBroken` when the reader of the output has gone, as in `… | head -1`. Any other failure to write is reported
 * on stderr, if that can be written, and ends the command with `exitCode`.
 */
export function watchOutput(onBroken: () => void, exitCode: number): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      // On Windows a closed pipe is EOF.
      if (error.code === 'EPIPE' || error.code === 'EOF') return onBroken();
      if (stream === process.stdout) process.stderr.write(`error: the output cannot be written: ${error.message}\n`);
      process.exit(exitCode);
    });
  }
}
