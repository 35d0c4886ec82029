import { printable } from '@mustard-sandbox/protocol/text';
import { writeLine } from '../../output.ts';

/** Clients show the stderr of their servers to nobody, or keep it as a log. */
export function onProblem(message: string): void {
  writeLine(process.stderr, `mcp: ${printable(message)}`);
}

/** Tells a person who starts it by hand what it is for. */
export function tellWhoReads(): void {
  if (process.stdin.isTTY) onProblem('An MCP client starts this and speaks to it on stdin. Ctrl-C ends it.');
}
