import * as z from 'zod/mini';

/** What a run left at the server, by what it is and not by where it is. */
export const artifactSchema = z.strictObject({
  /** Chosen by the server; of no use with another token. */
  id: z.string().check(z.regex(/^[0-9a-f]{32}$/)),
  /** For people: no path. */
  name: z.string().check(z.regex(/^[\w-][\w.-]{0,127}$/)),
  mediaType: z.string().check(z.maxLength(128)),
  /** Bytes. */
  size: z.int().check(z.gte(0)),
  sha256: z.string().check(z.regex(/^[0-9a-f]{64}$/)),
});

/** What a run left at the server: a name, a size and a hash, and no path. */
export type ArtifactHandle = z.output<typeof artifactSchema>;
