import { within } from '@mustard-sandbox/protocol';
import type { Diagnostic } from '@mustard-sandbox/client';
import { printable } from '@mustard-sandbox/protocol/text';
import { readConfiguration } from '../../configuration/read.ts';
import { exitCodes } from '../../exit-code.ts';
import { renderFrame } from '../../frame.ts';
import { styled, writeLine } from '../../output.ts';
import { readScript } from '../../read-script.ts';
import type { Report } from '../../report.ts';
import { engineOf, openSandbox, tellDegraded, type SandboxFlags } from '../../sandbox.ts';

export interface ValidateFlags extends SandboxFlags {
  config?: string;
  quiet?: boolean;
}

/** @throws {UsageError | SandboxError} */
export async function validate(file: string, flags: ValidateFlags, signal: AbortSignal): Promise<Report> {
  const script = await readScript(file, signal);
  const engine = engineOf(flags, await readConfiguration(flags));
  await using sandbox = await openSandbox(flags, { engine, ...(flags.remote === undefined && { roots: [] }) });
  tellDegraded(flags, sandbox);
  const diagnostics = await within(sandbox.validate(script), { signal });
  const [first] = diagnostics;
  const name = file === '-' ? 'stdin' : file;
  if (first === undefined) {
    return {
      json: { ok: true, diagnostics },
      print() {
        if (flags.quiet !== true) writeLine(process.stdout, `${printable(name)}: no problems`);
      },
      exitCode: exitCodes.done,
    };
  }
  const { code, message, location, frame } = first;
  return {
    json: { ok: false, error: { code, message, details: { location, frame } }, diagnostics },
    print: () => writeLine(process.stdout, diagnostics.map((diagnostic) => describe(name, diagnostic)).join('\n')),
    exitCode: exitCodes.script,
  };
}

/** `script.js:3:5: unsupported_syntax: message`, a form that editors and terminals know, and the frame. */
function describe(name: string, { code, message, location, frame }: Diagnostic): string {
  const place = location === undefined ? '' : `:${location.line}:${location.column}`;
  const line = `${printable(name)}${place}: ${styled(process.stdout, 'red', code)}: ${printable(message)}`;
  return frame === undefined ? line : `${line}\n${renderFrame(frame, process.stdout)}`;
}
