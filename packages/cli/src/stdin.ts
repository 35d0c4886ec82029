import type { Readable } from 'node:stream';

/** Stdin, to be read to its end. At a terminal, a line on stderr says that the command waits for `what`. */
export function openStdin(what: string): Readable {
  if (process.stdin.isTTY) process.stderr.write(`Type ${what}; end it with Ctrl-D.\n`);
  return process.stdin;
}
