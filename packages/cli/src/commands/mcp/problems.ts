import { printable } from '@mustard-sandbox/protocol/text';
import { writeLine } from '../../output.ts';

/** A client shows the stderr of its server to nobody, or keeps it as a log. */
export function onProblem(message: string): void {
  writeLine(process.stderr, `mcp: ${printable(message)}`);
}

/** For a person who starts it by hand. */
export function tellWhoReads(): void {
  if (process.stdin.isTTY) onProblem('An MCP client starts this and speaks to it on stdin. Ctrl-C ends it.');
}
