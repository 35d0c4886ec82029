import * as z from 'zod/mini';
import { encodings } from '../source/encodings.ts';

/** The most lines before or after a match. */
const maxContext = 100;

const group = z.union([z.int().check(z.gte(0)), z.string()]);
/**
 * No ceiling, because a model that wants everything writes a large number. Too much to give ends the search with an
 * error, and is not cut silently.
 */
const size = z.int().check(z.gte(1));
const context = z.int().check(z.gte(0), z.lte(maxContext));

/** The options of `search`. */
export const searchOptionsSchema = z.strictObject({
  /** Flags of the pattern. With flags, a string is the source of a RegExp and is not matched literally. */
  flags: z.optional(z.string()),
  before: z._default(context, 0),
  after: z._default(context, 0),
  limit: z._default(size, 100),
  offset: z._default(z.int().check(z.gte(0)), 0),
  invert: z._default(z.boolean(), false),
  count: z._default(z.boolean(), false),
  /** The group whose values are counted. */
  by: z.optional(group),
  /** How many of these values are given, the most frequent first. */
  top: z._default(size, 100),
  /** The groups that are given instead of the line. */
  fields: z.optional(z.array(group).check(z.minLength(1), z.maxLength(100))),
  encoding: z.optional(z.enum(encodings)),
});
export type SearchOptions = z.output<typeof searchOptionsSchema>;

/** What is wrong with the combination of options; `undefined` when nothing is. */
export function conflictOf({ by, fields, count, invert }: SearchOptions): string | undefined {
  if (by !== undefined && (fields !== undefined || count)) return 'by cannot be combined with count or fields';
  if (fields !== undefined && count) return 'fields cannot be combined with count';
  if (invert && (by !== undefined || fields !== undefined)) {
    return 'with invert there is no match, and so no groups for by or fields';
  }
  return undefined;
}
