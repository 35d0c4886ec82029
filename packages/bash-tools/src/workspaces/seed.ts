import * as z from 'zod';

/** Unknown to git as an option, and of one line. */
const plain = z.string().regex(/^[^-\p{Cc}][^\p{Cc}]*$/u, 'must be a text that does not begin with a dash');

const gitSeedSchema = z.strictObject({
  /** An https or http URL without a name or a password in it, or a folder of this machine. */
  url: plain.refine((url) => !/^https?:\/\/[^/]*@/i.test(url), {
    error: 'must not hold credentials: give them as `credentials`',
  }),
  /** A branch, a tag or a commit. Default: what the repository has as its HEAD. */
  revision: plain.optional(),
  /** Sent with each request of the clone, and written nowhere. */
  credentials: z.strictObject({ username: z.string().default('x-access-token'), password: z.string() }).optional(),
});

const uploadSeedSchema = z.strictObject({
  /** A folder of this machine. */
  path: z.string().min(1),
  /** Which files, such as `src/**`. Default: what git tracks, in a folder that is a repository; otherwise all. */
  include: z.array(z.string()).min(1).optional(),
  /** Which of them not. */
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

/** What a new workspace is filled with: one of the two. */
export type SeedOptions = z.input<typeof seedSchema>;
export type Seed = z.output<typeof seedSchema>;
export type GitSeed = z.output<typeof gitSeedSchema>;
export type UploadSeed = z.output<typeof uploadSeedSchema>;

/** What became of a seed. */
export interface Seeded {
  files: number;
  bytes: number;
  /** How many files were left out: secrets by their names, links that lead out, and what is no file. */
  leftOut: { secrets: number; links: number; others: number };
}

export const nothingSeeded: Seeded = { files: 0, bytes: 0, leftOut: { secrets: 0, links: 0, others: 0 } };
