import * as z from 'zod/mini';

const GiB = 1024 ** 3;
/** The largest file that can be sent. */
export const maxFileBytes = 16 * GiB;
/** Up to this size a file that is at both ends is compared by its hash, and not by its size and time alone. */
export const maxComparedBytes = 64 * 1024 ** 2;
/** How many files one request may name. */
export const maxWrappers = 10_000;

const text = (length: number): z.ZodMiniString<string> => z.string().check(z.maxLength(length));
const bytes = z.int().check(z.gte(0), z.lte(maxFileBytes));
/** In lower-case hex. */
const hashSchema = z.string().check(z.regex(/^[0-9a-f]{64}$/));

/** Milliseconds with a fraction, as in `fs.Stats`, within the range of a date. */
const timeSchema = z.number().check(z.gte(-8.64e15), z.lte(8.64e15));

/** A file of the client: where it is there, what identifies it, and, where the server has not got it, what is in it. */
export const fileWrapperSchema = z.strictObject({
  /** Absolute, at the client. */
  path: text(4096),
  size: bytes,
  mtimeMs: timeSchema,
  sha256: z.optional(hashSchema),
  /** Base64. */
  content: z.optional(z.string()),
});
/** A file of the client. */
export type FileWrapper = z.output<typeof fileWrapperSchema>;

/** A folder of the client. Its content is never along; `tree` names a manifest that was uploaded like a file. */
export const folderWrapperSchema = z.strictObject({
  path: text(4096),
  mtimeMs: timeSchema,
  folder: z.literal(true),
  tree: z.optional(hashSchema),
});
/** A folder of the client. */
export type FolderWrapper = z.output<typeof folderWrapperSchema>;

/** A parameter that is a path of the client. */
export const fileInputSchema = z.object({
  /** The method. */
  target: text(64),
  /** Where in its params: fields by `.`, and `[*]` for each element of a list. */
  path: text(128),
  /** A file or a folder that must be there; or one of which the server only tells whether it is. */
  kind: z.enum(['file', 'directory', 'probe']),
});
/** A parameter that is a path of the client. */
export type FileInput = z.output<typeof fileInputSchema>;

/** The parameters of this release that are paths. The client sends no others, whatever a server asks for. */
export const fileInputs: readonly FileInput[] = [
  { target: 'sandbox/run', path: 'scope.root', kind: 'directory' },
  { target: 'sandbox/run', path: 'scope.attachments[*].path', kind: 'file' },
  { target: 'files/probe', path: 'file', kind: 'probe' },
];

/** What the server needs before it can do what it was asked. */
const missingSchema = z.strictObject({
  /** The parameter, such as `scope.attachments[2].path`; or `tree` for a file within the folder's manifest. */
  target: text(128),
  kind: z.enum(['file', 'directory']),
  /** Where the client told it. */
  sha256: z.optional(hashSchema),
});
/** What the server needs before it can do what it was asked. */
export type Missing = z.output<typeof missingSchema>;
/** All that it needs, as the details of an error have it. */
export const missingFiles = z.array(missingSchema).check(z.maxLength(maxWrappers));

/** What `tree` names: each file of a folder, by its path from there. */
export const manifestSchema = z.strictObject({
  version: z.literal(1),
  files: z
    .array(
      z.strictObject({
        path: text(4096),
        size: bytes,
        mtimeMs: timeSchema,
        sha256: hashSchema,
      }),
    )
    .check(z.maxLength(100_000)),
});
/** What is in a folder. */
export type Manifest = z.output<typeof manifestSchema>;
