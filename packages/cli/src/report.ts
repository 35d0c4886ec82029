import { printable, printableJson } from '@mustard-sandbox/protocol/text';
import { exitCodeOf } from './exit-code.ts';
import type { Failure } from './failure.ts';
import { renderFrame } from './frame.ts';
import { styled, writeLine } from './output.ts';

/** The outcome of a command, with the same facts for a program and for a person. */
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

const byCode: Partial<Record<Failure['code'], string>> = {
  capability_denied: 'a script reads in the folder of --root DIR, and a file of --attach FILE as attachments:<name>',
  timeout: 'give it more time with --timeout, at most 1h',
  sidecar_crashed: 'the script ended the process that ran it, and nothing else; change the script',
  sidecar_unavailable: '`mustard-sandbox doctor` looks at the installation',
  engine_unavailable: '`mustard-sandbox doctor` shows what was looked for',
};

const byLimit: Record<string, string> = {
  attachment_bytes: 'allow more with --size-threshold, or choose another --size-policy',
  heap_bytes: 'give it more memory with --heap, at most 256mb',
  instructions: 'a longer --timeout raises the instruction limit with it',
  script_bytes: 'to read a big file, attach it with --attach FILE and read `attachments:<name>` from a small script',
};

const outFlag = 'a script keeps files in the folder of --out DIR';
/** Of a capability that was refused. */
const byCapability: Record<string, string> = { save: outFlag, chart: outFlag };

/** What to do about a failure, with flags of the command. The failure's own message names options of the library. */
function hintFor({ code, details, hint }: Failure): string | undefined {
  const ofCapability = code === 'capability_denied' ? byCapability[String(details['capability'])] : undefined;
  return hint ?? byLimit[String(details['limit'])] ?? ofCapability ?? byCode[code];
}
