import { printable, printableJson } from '@mustard-sandbox/client/text';
import { exitCodeOf } from './exit-code.ts';
import type { Failure } from './failure.ts';
import { renderFrame } from './frame.ts';
import { hintFor } from './hints.ts';
import { styled, writeLine } from './output.ts';

/** What a command found: the same facts for a program and for a person. */
export interface Report {
  /** The object of `--json`; `undefined` when the command has printed everything already. */
  json: ({ ok: boolean } & Record<string, unknown>) | undefined;
  print(): void;
  exitCode: number;
}

/** The one object of `--json`, on one line. */
export function printJson(json: object): void {
  writeLine(process.stdout, printableJson(JSON.stringify(json)));
}

export function failureReport(failure: Failure): Report {
  const { code, message, details, hint } = failure;
  return {
    json: { ok: false, error: { code, message, details: { ...details, ...(hint !== undefined && { hint }) } } },
    print: () => printFailure(failure),
    exitCode: exitCodeOf(code),
  };
}

export function printFailure(failure: Failure): void {
  const stream = process.stderr;
  const { code, message, details } = failure;
  const lines = [`${styled(stream, 'red', 'error:')} ${code}: ${printable(message)}`];
  if (typeof details['frame'] === 'string') lines.push(renderFrame(details['frame'], stream));
  const hint = hintFor(failure);
  if (hint !== undefined) lines.push(styled(stream, 'dim', `hint: ${printable(hint)}`));
  writeLine(stream, lines.join('\n'));
}
