import { styleText } from 'node:util';

type Style = Parameters<typeof styleText>[0];

/** `text` in colour, where there is a terminal that shows it and nobody asked for none. */
export function styled(stream: NodeJS.WriteStream, style: Style, text: string): string {
  const { NO_COLOR, TERM } = process.env;
  if (!stream.isTTY || (NO_COLOR !== undefined && NO_COLOR !== '') || TERM === 'dumb') return text;
  // Its own check looks at stdout only, which may be a pipe while stderr is a terminal.
  return styleText(style, text, { validateStream: false });
}

export function writeLine(stream: NodeJS.WriteStream, text: string): void {
  stream.write(text.endsWith('\n') ? text : `${text}\n`);
}

/**
 * Calls `onBroken` when a reader of the output has gone, as in `… | head -1`. Any other failure to write is said,
 * as far as that is possible, and ends the command with `exitCode`.
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
