import type { Readable } from 'node:stream';

/** Stdin, to be read to its end; a person at a terminal is told that `what` is waited for. */
export function openStdin(what: string): Readable {
  if (process.stdin.isTTY) process.stderr.write(`Type ${what}; end it with Ctrl-D.\n`);
  return process.stdin;
}
