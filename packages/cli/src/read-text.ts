import { addAbortSignal, type Readable } from 'node:stream';
import { formatBytes } from '@mustard-sandbox/agent-tool';
import { UsageError } from './failure.ts';

const maxBytes = 16 * 1024 * 1024;

/**
 * The text on stdin, without the final newline that shells add.
 *
 * @param what what a person at a terminal is asked for
 * @throws {UsageError} when it is not UTF-8, or is longer than any message
 */
export async function readText(what: string, signal: AbortSignal): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of addAbortSignal(signal, openStdin(what))) {
      chunks.push(chunk as Buffer);
      size += (chunk as Buffer).length;
      if (size > maxBytes) break;
    }
  } catch (error) {
    throw new UsageError(`Stdin cannot be read: ${(error as Error).message}.`);
  }
  if (size > maxBytes) throw new UsageError(`Stdin has more than ${formatBytes(maxBytes)}.`, 'attach it as a file');
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks)).replace(/\r?\n$/, '');
  } catch {
    throw new UsageError('Stdin is not UTF-8 text.', 'attach it as a file with --attach');
  }
}

/** Stdin, which is read to its end. At a terminal, a line on stderr says that the command waits for `what`. */
export function openStdin(what: string): Readable {
  if (process.stdin.isTTY) process.stderr.write(`Type ${what}; end it with Ctrl-D.\n`);
  return process.stdin;
}
