import * as z from 'zod/mini';
import { constructs, isWireCode, type ErrorCode } from '../errors.ts';
import { count, errorText, text } from '../scalars.ts';

/** One that may stand on the wire. */
export const errorCode = z
  .string()
  .check(z.refine(isWireCode, 'no error code of the wire')) as unknown as z.ZodMiniType<ErrorCode, ErrorCode>;

/** The longest list in an error, such as the diagnostics. */
export const maxProblems = 100;

/** A span of a script. Lines and columns count from 1; columns count UTF-16 code units. */
export const locationSchema = z.strictObject({
  line: count,
  column: count,
  endLine: count,
  endColumn: count,
  /** `statement`: the span is the failing code. `function`: the engine only knows the function around it. */
  precision: z.enum(['statement', 'function']),
  /** Name of that function, if it has one. */
  functionName: z.optional(errorText),
});

/** One problem that the compiler found. */
export const diagnosticSchema = z.strictObject({
  /** `parse_error` or `unsupported_syntax`. */
  code: errorCode,
  /** What is wrong. For a construct that the language lacks, it also says what to write instead. */
  message: errorText,
  /** Where the problem is. Lines and columns count from 1; columns count UTF-16 code units. */
  location: z.optional(locationSchema),
  /** Two or three numbered source lines with a mark under the failing code. */
  frame: z.optional(errorText),
  /** What the problem is about, if the engine can tell. */
  construct: z.optional(z.enum(constructs)),
  /** The name that the problem is about. */
  subject: z.optional(errorText),
});
/** One problem that the compiler found. */
export type Diagnostic = z.output<typeof diagnosticSchema>;

/** A part of a script that may do something else here than in JavaScript. */
export const warningSchema = z.strictObject({
  /**
   * The row in the table of differences in docs/language.md, or one of these. `front-end`: rewriting the script failed.
   * `search-limit` and `query-limit`: there is more than the built-in returned by its default limit. `in-place`: a
   * remote server read its own copy of a file in place of the client's, and did not compare the contents.
   */
  id: text(64),
  /** What may differ, and what to write instead. */
  message: errorText,
  /** The first line that the warning is about, from 1. */
  line: z.optional(count),
});
/** A part of a script that may do something else here than in JavaScript. */
export type RunWarning = z.output<typeof warningSchema>;
/** The most warnings of one run. */
export const maxWarnings = 32;
