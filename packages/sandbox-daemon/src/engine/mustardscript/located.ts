import { Buffer } from 'node:buffer';
import { maxTraceback, type Construct, type SourceLocation } from '@mustard-sandbox/protocol';
import type { Subject } from './construct.ts';
import { codeFrame, locate, type Span } from '../source-location.ts';

/** Where the engine says that an error happened, and the functions that were running. */
export interface Trace {
  span?: Span;
  frames: { name: string; span: Span }[];
}

/** The engine's name for the top level, and for functions without a name. */
const scriptFrame = '<script>';

export interface Located {
  location?: SourceLocation;
  frame?: string;
}

/**
 * The place of an error. For a `throw` the engine knows the statement. For every other error it knows only the
 * functions that were running. If the message names something that occurs only once in the innermost function, that is
 * the place, or the call that failed.
 *
 * @param about what the message is about, and the name of the host function that threw
 */
export function locationOf(
  { span, frames }: Trace,
  source: string,
  { subject, called }: { subject?: Subject | undefined; called?: string | undefined },
): Located {
  const wholeScript = Buffer.byteLength(source);
  const isFrame = span !== undefined && frames.some((frame) => sameSpan(frame.span, span));
  let location: SourceLocation | undefined;
  if (span !== undefined && !isFrame && frames.length > 0) {
    location = locate(source, span, 'statement');
  } else {
    const frame = innermost(frames, span, wholeScript);
    if (frame === undefined) return {};
    const exact = onlyOccurrence(source, searchFor(subject) ?? callOf(called), frame.span);
    const name = frame.name === scriptFrame ? undefined : frame.name;
    location = exact
      ? locate(source, exact, 'statement', name)
      : locate(source, trimmed(source, frame.span), 'function', name);
  }
  return { location, frame: codeFrame(source, location) };
}

/** Every function that was running. A recursion names the same one many times, so its place is looked up once. */
export function tracebackOf({ frames }: Trace, source: string): SourceLocation[] {
  const locations = new Map<string, SourceLocation>();
  return frames.slice(0, maxTraceback).map(({ name, span }) => {
    const key = `${span.start}..${span.end} ${name}`;
    const located =
      locations.get(key) ?? locate(source, trimmed(source, span), 'function', name === scriptFrame ? undefined : name);
    locations.set(key, located);
    return located;
  });
}

/**
 * The function that was running. A traceback lists the stack up to the script, and after it the functions that a native
 * call such as `map` called back. For code after an `await` it has no span, and lists outer before inner.
 */
function innermost(
  frames: Trace['frames'],
  span: Span | undefined,
  wholeScript: number,
): Trace['frames'][number] | undefined {
  if (span === undefined) return frames.at(-1);
  const script = frames.findIndex((frame) => frame.span.start === 0 && frame.span.end === wholeScript);
  return frames[script + 1] !== undefined && script >= 0 ? frames[script + 1] : frames[0];
}

function sameSpan(a: Span, b: Span): boolean {
  return a.start === b.start && a.end === b.end;
}

/** What the failing code must contain, by the subject of the message. `name` is escaped for a pattern. */
const searches: Partial<Record<Construct, (name: string) => string>> = {
  undefined_name: (name) => String.raw`(?<![\w$])${name}(?![\w$])`,
  constant_assignment: (name) =>
    String.raw`(?<![\w$.])${name}(?=\s*(?:[-+*/%&|^?<>]*=(?!=)|\+\+|--))(?<!(?:const|let)\s+${name})`,
  missing_member: (name) => String.raw`(?<=\.\s*)${name}(?![\w$])`,
  look_ahead: (pattern) => pattern,
  look_behind: (pattern) => pattern,
  backreference: (pattern) => pattern,
};

function searchFor({ construct, subject }: Partial<Subject> = {}): RegExp | undefined {
  const search = construct && searches[construct];
  if (search === undefined || subject === undefined) return undefined;
  const name = construct === 'missing_member' ? subject.slice(subject.lastIndexOf('.') + 1) : subject;
  return new RegExp(search(escaped(name)), 'g');
}

/** A pattern for a call of the function in the source. */
function callOf(name: string | undefined): RegExp | undefined {
  if (name === undefined) return undefined;
  return new RegExp(String.raw`(?<![\w$.])${escaped(name)}(?=\s*\()`, 'g');
}

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
}

function onlyOccurrence(source: string, pattern: RegExp | undefined, within: Span): Span | undefined {
  if (pattern === undefined) return undefined;
  const text = Buffer.from(source).subarray(within.start, within.end).toString();
  const matches = [...text.matchAll(pattern)];
  const only = matches.length === 1 ? matches[0] : undefined;
  if (only === undefined) return undefined;
  const start = within.start + Buffer.byteLength(text.slice(0, only.index));
  return { start, end: start + Buffer.byteLength(only[0]) };
}

/** The span of the whole script ends with its text, and not in an empty line after it. */
function trimmed(source: string, { start, end }: Span): Span {
  const text = Buffer.from(source).subarray(start, end).toString();
  return { start, end: start + Buffer.byteLength(text.trimEnd()) };
}
