import { SandboxError, type ErrorDetails, type SourceLocation } from './errors.ts';
import type { Diagnostic } from './messages/diagnostics.ts';

/** The error of a run whose script does not compile. */
export function compileFailure(diagnostics: readonly Diagnostic[]): SandboxError {
  const [first] = diagnostics as [Diagnostic];
  const { location, frame, construct, subject } = first;
  const details: ErrorDetails = { location, frame, construct, subject, problem: first.message };
  if (diagnostics.length > 1) details.diagnostics = [...diagnostics];
  const what = first.code === 'parse_error' ? 'The script is not valid JavaScript' : 'Not in the script language';
  return new SandboxError(first.code, `${what}: ${first.message}${inWords(first.location)}`, { details });
}

/**
 * The location for the end of a message: ` (line 3:7)`, ` (in lines 3-9)`, ` (in f, lines 3-9)`; empty when it is
 * unknown.
 */
export function inWords(location: SourceLocation | Diagnostic['location']): string {
  if (location === undefined) return '';
  const { line, endLine, column, precision, functionName } = location;
  if (precision === 'statement' || line === endLine) return ` (line ${line}:${column})`;
  return functionName === undefined
    ? ` (in lines ${line}-${endLine})`
    : ` (in ${functionName}, lines ${line}-${endLine})`;
}
