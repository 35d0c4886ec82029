import * as z from 'zod/mini';

const GiB = 1024 ** 3;
/** The largest file that can be sent. */
export const maxFileBytes = 16 * GiB;
/** Up to this size, a file that is at both ends is compared by its hash, and not only by its size and time. */
export const maxComparedBytes = 64 * 1024 ** 2;
/** How many files one request may name. */
export const maxWrappers = 10_000;

const text = (length: number): z.ZodMiniString<string> => z.string().check(z.maxLength(length));
const bytes = z.int().check(z.gte(0), z.lte(maxFileBytes));
/** In lower-case hex. */
const hashSchema = z.string().check(z.regex(/^[0-9a-f]{64}$/));

/** Milliseconds with a fraction, as in `fs.Stats`, within the range of a date. */
const timeSchema = z.number().check(z.gte(-8.64e15), z.lte(8.64e15));

/** A file of the client: its path there, the facts that identify it, and its content if the server does not have it. */
export const fileWrapperSchema = z.strictObject({
  /** The absolute path at the client. */
  path: text(4096),
  size: bytes,
  mtimeMs: timeSchema,
  sha256: z.optional(hashSchema),
  /** The content as base64. */
  content: z.optional(z.string()),
});
/** A file of the client. */
export type FileWrapper = z.output<typeof fileWrapperSchema>;

/** A folder of the client. Its content is never inline. `tree` names a manifest that was uploaded like a file. */
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
  /** Where it is in the params of the method: fields separated by `.`, and `[*]` for each element of a list. */
  path: text(128),
  /** A file or a folder that must exist, or a path of which the server only reports whether it exists. */
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

/** What the server needs before it can do the request. */
const missingSchema = z.strictObject({
  /** The parameter, such as `scope.attachments[2].path`; or `tree` for a file in the folder's manifest. */
  target: text(128),
  kind: z.enum(['file', 'directory']),
  /** Present if the client gave it. */
  sha256: z.optional(hashSchema),
});
/** What the server needs before it can do the request. */
export type Missing = z.output<typeof missingSchema>;
/** Everything that it needs, in the details of an error. */
export const missingFiles = z.array(missingSchema).check(z.maxLength(maxWrappers));

/** The content of `tree`: each file of a folder, by its path in the folder. */
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
/** The files of a folder. */
export type Manifest = z.output<typeof manifestSchema>;
