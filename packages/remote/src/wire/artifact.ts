import * as z from 'zod/mini';

/** A result that a run left at the server, described by its content and not by its place. */
export const artifactSchema = z.strictObject({
  /** Chosen by the server. Another token cannot use it. */
  id: z.string().check(z.regex(/^[0-9a-f]{32}$/)),
  /** A name for people. It is not a path. */
  name: z.string().check(z.regex(/^[\w-][\w.-]{0,127}$/)),
  mediaType: z.string().check(z.maxLength(128)),
  /** The size in bytes. */
  size: z.int().check(z.gte(0)),
  sha256: z.string().check(z.regex(/^[0-9a-f]{64}$/)),
});

/** A result that a run left at the server: a name, a size and a hash, but no path. */
export type ArtifactHandle = z.output<typeof artifactSchema>;
