import * as z from 'zod';

/** A text on one line that git cannot take for an option. */
const plain = z.string().regex(/^[^-\p{Cc}][^\p{Cc}]*$/u, 'must be a text that does not begin with a dash');

const gitSeedSchema = z.strictObject({
  /** An https or http URL without a name or a password in it, or a folder of this machine. */
  url: plain.refine((url) => !/^https?:\/\/[^/]*@/i.test(url), {
    error: 'must not hold credentials: give them as `credentials`',
  }),
  /** A branch, a tag or a commit. Default: the HEAD of the repository. */
  revision: plain.optional(),
  /** Sent with each request of the clone, and written nowhere. */
  credentials: z.strictObject({ username: z.string().default('x-access-token'), password: z.string() }).optional(),
});

const uploadSeedSchema = z.strictObject({
  /** A folder of this machine. */
  path: z.string().min(1),
  /** Which files to copy, such as `src/**`. Default: in a repository the files that git tracks, otherwise all. */
  include: z.array(z.string()).min(1).optional(),
  /** Which of these files to leave out. */
  exclude: z.array(z.string()).default([]),
});

/** What a new workspace is filled with, as a zod schema. */
export const seedSchema = z
  .strictObject({
    /** A clone of a repository. */
    git: gitSeedSchema.optional(),
    /** A copy of a folder. */
    upload: uploadSeedSchema.optional(),
  })
  .refine(({ git, upload }) => (git === undefined) !== (upload === undefined), 'must have either git or upload');

/** What a new workspace is filled with: either of the two. */
export type SeedOptions = z.input<typeof seedSchema>;
export type Seed = z.output<typeof seedSchema>;
export type GitSeed = z.output<typeof gitSeedSchema>;
export type UploadSeed = z.output<typeof uploadSeedSchema>;

/** What was copied from a seed. */
export interface Seeded {
  files: number;
  bytes: number;
  /** How many files were left out: secrets by their names, links that lead out, and entries that are not files. */
  leftOut: { secrets: number; links: number; others: number };
}

export const nothingSeeded: Seeded = { files: 0, bytes: 0, leftOut: { secrets: 0, links: 0, others: 0 } };
