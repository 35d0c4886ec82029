import { SandboxError } from '@mustard-sandbox/protocol';
import { BuiltinCall } from '../call.ts';
import { filesNamedBy } from '../find-files.ts';
import type { BuiltinContext } from '../context.ts';
import { parseOptions } from '../options.ts';
import { openSource } from '../source/source.ts';
import { eachBlock } from './blocks.ts';
import { GroupCount, MatchCount, OtherLineCount } from './counts.ts';
import { FieldRows } from './field-rows.ts';
import { groupReader, groupsReader } from './groups.ts';
import { Inverted } from './inverted.ts';
import { conflictOf, searchOptionsSchema, type SearchOptions } from './options.ts';
import { compilePattern, type Pattern } from './pattern.ts';
import { Rows, RowsOfFile } from './rows.ts';
import { Scanner, type Findings } from './scan.ts';

/** Why a file was left out. */
interface Skipped {
  path: string;
  why: string;
}

/** The answer of a search to the program around the script. The script gets `found`, with the rest as properties. */
export interface SearchAnswer {
  /** Rows, rows of fields, counts of values, or one count. */
  found: unknown;
  /** Whether there is more than what was found. */
  truncated: boolean;
  /** The first of the files that were not searched. */
  skipped: Skipped[];
}

/** How many files an answer lists as left out. */
const maxSkipped = 100;

/**
 * Searches the lines of files for a pattern.
 *
 * @param where a path, a pattern for paths, or several of them
 * @param given a text, or the `{ source, flags }` of a RegExp
 * @throws {SandboxError} `invalid_request` for the pattern and the options, `limit_exceeded`, and like `filesNamedBy`
 */
export function search(context: BuiltinContext, where: unknown, given: unknown, rawOptions: unknown): SearchAnswer {
  const call = new BuiltinCall('search', Array.isArray(where) ? where[0] : where);
  return call.run(() => {
    const options = parseOptions(searchOptionsSchema, rawOptions, call);
    const pattern = compilePattern(given, options.flags);
    const problem = 'problem' in pattern ? pattern.problem : conflictOf(options);
    if ('problem' in pattern || problem !== undefined) throw call.invalid(`search: ${problem}.`);
    const kind = kindOf(options, pattern, call);
    const skipped: Skipped[] = [];
    for (const one of Array.isArray(where) ? (where as unknown[]) : [where]) {
      const named = filesNamedBy(context, one, call);
      for (const path of named.unreadable) skipped.push({ path, why: 'it cannot be listed' });
      for (const path of named.paths) {
        if (kind.isOver()) break;
        const why = searchFile(context, path, named.isSingle, { ...options, pattern: kind.pattern }, kind);
        if (why !== undefined) skipped.push({ path, why });
      }
    }
    return { ...kind.answer(), skipped: skipped.slice(0, maxSkipped) };
  });
}

/** @returns why the file was left out, if it was */
function searchFile(
  context: BuiltinContext,
  path: string,
  isSingle: boolean,
  { encoding, pattern }: SearchOptions & { pattern: Pattern },
  kind: Kind,
): string | undefined {
  const call = new BuiltinCall('search', path);
  try {
    return call.run(() => {
      using source = openSource(context, path, call, encoding);
      context.markRead(path);
      const format = source.format();
      if (format.encoding === undefined) {
        const why = 'is not text';
        if (!isSingle) return `it ${why}`;
        const hint = "With { encoding: 'latin1' } search takes each byte for a character.";
        throw call.failed('NotReadableError', `${call.shown} ${why}. ${hint}`);
      }
      const scanner = new Scanner(pattern, kind.findingsIn(path));
      eachBlock(source, context.pace, (block) => scanner.scan(block));
      return undefined;
    });
  } catch (error) {
    // A file that was found in a folder, and then vanished or cannot be read, is left out. An exceeded limit is still
    // an error.
    const isOfFile = error instanceof SandboxError && ['script_error', 'capability_denied'].includes(error.code);
    if (isSingle || !isOfFile) throw error;
    return 'it cannot be read';
  }
}

/** What a search returns: rows, or a count. */
interface Kind {
  pattern: Pattern;
  /** For one file. */
  findingsIn(path: string): Findings;
  isOver(): boolean;
  answer(): { found: unknown; truncated: boolean };
}

function kindOf(options: SearchOptions, pattern: Pattern, call: BuiltinCall): Kind {
  const { by, count, fields, invert, top } = options;
  // Counting values or giving fields needs a match to take the group from.
  const matching = { ...pattern, literal: by === undefined && fields === undefined ? pattern.literal : undefined };
  if (by !== undefined) {
    const counts = new GroupCount(groupReader(by, pattern, call), call);
    return {
      pattern: matching,
      findingsIn: () => counts,
      isOver: () => false,
      answer: () => {
        const { counts: found, isTruncated } = counts.top(top);
        return { found, truncated: isTruncated };
      },
    };
  }
  if (count) {
    const counts = invert ? new OtherLineCount() : new MatchCount();
    return {
      pattern: invert ? { ...pattern, isGlobal: false } : pattern,
      findingsIn: () => counts,
      isOver: () => false,
      answer: () => ({ found: counts.count, truncated: false }),
    };
  }
  const rows = new Rows(options, call);
  const answer = (): { found: unknown; truncated: boolean } => ({ found: rows.rows, truncated: rows.isTruncated });
  const isOver = (): boolean => rows.isTruncated;
  if (fields !== undefined) {
    const read = fields.map((field) => groupReader(field, pattern, call));
    return { pattern: matching, findingsIn: () => new FieldRows(rows, read), isOver, answer };
  }
  const groups = groupsReader(pattern);
  const findingsIn = (path: string): Findings => {
    const ofFile = new RowsOfFile(path, rows, options, groups);
    return invert ? new Inverted(ofFile) : ofFile;
  };
  return { pattern: invert ? { ...pattern, isGlobal: false } : pattern, findingsIn, isOver, answer };
}
