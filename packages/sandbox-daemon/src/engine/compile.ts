import type { Failure, Lowered, Warning } from '../lowering/index.ts';
import type { Diagnostic } from '../protocol/methods.ts';
import type { Binding } from './binding.ts';
import { compileDiagnostics, diagnosticAt, type Script } from './diagnostics.ts';

/** The run that asks V8 for something. What is kept for it goes with it. */
export interface AskingRun {
  /** What the last call of `lines` gave: whole lines of UTF-8. */
  readonly givenLines: Buffer | undefined;
}

/** What rewrites a script before it is compiled; see `lowering/`. */
export interface FrontEnd {
  /** Never throws. */
  lower(source: string, capabilities: readonly string[]): Lowered | { failure: Failure };
  /** Does what a rewritten script asks of V8, and throws what V8 throws. */
  operate(args: readonly unknown[], run: AskingRun): unknown;
}

/** A script that is ready to run. The handle is the caller's to release. */
type Compiled = Script & { handle: string; warnings: Warning[] };

type Result = Compiled | { diagnostics: Diagnostic[] };

/** Has `source` rewritten and compiled. */
export function compile(
  source: string,
  capabilities: readonly string[],
  native: Binding,
  frontEnd: FrontEnd | undefined,
  onFault: ((message: string) => void) | undefined,
): Result {
  const lowered = frontEnd?.lower(source, capabilities) ?? { code: source, warnings: [] };
  if ('failure' in lowered) return compileAfter(lowered.failure, source, native, onFault);
  const compiled = compileNatively(lowered, source, native);
  if (!('diagnostics' in compiled) || lowered.positions === undefined) return compiled;
  // The script itself parsed. If the rewritten program does not parse, the front end has a bug.
  if (compiled.diagnostics.every(({ code }) => code !== 'parse_error')) return compiled;
  // A script that is nested almost as deeply as the engine takes is so once it is rewritten.
  const nested = compiled.diagnostics.find(({ construct }) => construct === 'nesting');
  if (nested !== undefined) return { diagnostics: [{ ...nested, code: 'unsupported_syntax' }] };
  const failure: Failure = { kind: 'fault', message: compiled.diagnostics[0]?.message ?? '', rule: 'all' };
  return compileAfter(failure, source, native, onFault);
}

/** What the compiler objects to, and lowering takes away. */
const lowered: ReadonlySet<string> = new Set([
  'class',
  'generator',
  'var',
  'accessor',
  'tagged_template',
  'early_return',
]);

/** Compiles a script that could not be lowered. */
function compileAfter(
  failure: Failure,
  source: string,
  native: Binding,
  onFault: ((message: string) => void) | undefined,
): Result {
  const span = spanOf(failure);
  if (failure.kind === 'refused') {
    return { diagnostics: [diagnosticAt('unsupported_syntax', failure.message, source, span)] };
  }
  if (failure.kind === 'fault')
    onFault?.(`lowering failed in the rule ${failure.rule ?? '(none)'}: ${failure.message}`);
  // The error of the compiler tells more about a missing construct than that of a parser.
  const compiled = compileNatively({ code: source, warnings: [] }, source, native);
  if ('diagnostics' in compiled) {
    const missing = compiled.diagnostics.filter(({ construct }) => construct === undefined || !lowered.has(construct));
    if (missing.length > 0 || failure.kind !== 'syntax')
      return { diagnostics: missing.length > 0 ? missing : compiled.diagnostics };
    return { diagnostics: [diagnosticAt('parse_error', failure.message, source, span)] };
  }
  if (failure.kind === 'syntax') {
    native.releaseProgram(compiled.handle);
    return { diagnostics: [diagnosticAt('parse_error', failure.message, source, span)] };
  }
  compiled.warnings.push({
    id: 'front-end',
    message:
      'The script ran as it is, because rewriting it for the engine failed: some values may differ from JavaScript. Check the result, or write it in another way.',
  });
  return compiled;
}

function compileNatively(lowered: Lowered, source: string, native: Binding): Result {
  const { code, positions, warnings } = lowered;
  const script: Script = { source, code, ...(positions && { positions }) };
  try {
    // Lenient: a `return` as the last top-level statement is the result, because models write it.
    const handle = native.compileProgramWithOptions(code, '{"lenient_mode":true}');
    return { ...script, handle, warnings: [...warnings] };
  } catch (error) {
    return { diagnostics: compileDiagnostics(error, script) };
  }
}

function spanOf(failure: Failure): { start: number; end: number } {
  if (failure.kind === 'refused') return failure;
  return failure.kind === 'syntax' ? { start: failure.at, end: failure.at + 1 } : { start: 0, end: 0 };
}
