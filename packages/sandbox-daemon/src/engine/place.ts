import { Buffer } from 'node:buffer';
import type { SourceLocation } from '../protocol/errors.ts';
import type { Subject } from './construct.ts';
import { codeFrame, locate, type Span } from './source-location.ts';

/** Where the engine says that an error happened, and the functions that were under way. */
export interface Trace {
  span?: Span;
  frames: { name: string; span: Span }[];
}

export interface Place {
  location?: SourceLocation;
  frame?: string;
}

/**
 * The engine knows the statement of a `throw`; for every other error only the functions that were
 * under way. Where the message names something that occurs once in that function, that is it.
 */
export function placeOf({ span, frames }: Trace, source: string, subject: Subject | undefined): Place {
  const wholeScript = Buffer.byteLength(source);
  const isFrame = span !== undefined && frames.some((frame) => sameSpan(frame.span, span));
  let location: SourceLocation | undefined;
  if (span !== undefined && !isFrame && frames.length > 0) {
    location = locate(source, span, 'statement');
  } else {
    const frame = innermost(frames, span, wholeScript);
    if (frame === undefined) return {};
    const exact = onlyOccurrence(source, searchFor(subject), frame.span);
    const name = frame.name === '<script>' ? undefined : frame.name;
    location = exact
      ? locate(source, exact, 'statement', name)
      : locate(source, trimmed(source, frame.span), 'function', name);
  }
  return { location, frame: codeFrame(source, location) };
}

/**
 * The function that was running. A traceback lists the stack up to the script, then what a native
 * call such as `map` called back into; for code after an `await` it has no span and lists outer before inner.
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

/** What the failing code must contain, by what the message is about. */
function searchFor(subject: Subject | undefined): RegExp | undefined {
  if (subject?.subject === undefined) return undefined;
  const name = (subject.subject.split('.').at(-1) as string).replaceAll('$', '\\$');
  switch (subject.construct) {
    case 'undefined_name':
      return new RegExp(`(?<![\\w$])${name}(?![\\w$])`, 'g');
    case 'constant_assignment':
      return new RegExp(
        `(?<![\\w$.])${name}(?=\\s*(?:[-+*/%&|^?<>]*=(?!=)|\\+\\+|--))(?<!(?:const|let)\\s+${name})`,
        'g',
      );
    case 'missing_member':
      return new RegExp(`(?<=\\.\\s*)${name}(?![\\w$])`, 'g');
    case 'look_ahead':
    case 'look_behind':
    case 'backreference':
      return new RegExp(subject.subject.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&'), 'g');
    default:
      return undefined;
  }
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

/** The whole script ends where its text does, not in an empty line after it. */
function trimmed(source: string, { start, end }: Span): Span {
  const text = Buffer.from(source).subarray(start, end).toString();
  return { start, end: start + Buffer.byteLength(text.trimEnd()) };
}
