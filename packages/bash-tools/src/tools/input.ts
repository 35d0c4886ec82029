import * as z from 'zod';

/** Relative to the workspace. */
const path = z.string().min(1).max(4096).describe('Relative to the workspace.');

export const bashInputSchema = z.strictObject({
  /** For bash; it may have several lines. */
  command: z.string().min(1).max(100_000).describe('For bash; it may have several lines.'),
  /** How long it may run, in ms. */
  timeoutMs: z.int().min(100).optional().describe('How long it may run, in ms.'),
});
export const readFileInputSchema = z.strictObject({ path });
export const writeFileInputSchema = z.strictObject({
  path,
  /** The whole new content of the file. */
  content: z.string(),
});

/** The input of the tool `bash`. */
export type BashInput = z.output<typeof bashInputSchema>;
/** The input of the tool `readFile`. */
export type ReadFileInput = z.output<typeof readFileInputSchema>;
/** The input of the tool `writeFile`. */
export type WriteFileInput = z.output<typeof writeFileInputSchema>;
