import * as z from 'zod/mini';
import { builtinNames } from '../builtins.ts';
import { readLimitsShape } from '../limits.ts';
import { text } from '../scalars.ts';

/** What one run may read, in the form in which it is sent. */
export const scopeSchema = z.strictObject({
  /** Absolute path of the folder that the script may read in. Without it, the script may read in no folder. */
  root: z.optional(text(4096)),
  /** Files that the script may read as `attachments:<name>`. They may lie in any folder. */
  attachments: z._default(
    z
      .array(
        z.strictObject({
          /** The name that the script uses. It has no `/` and no control characters. */
          name: text(255),
          /** An absolute path. */
          path: text(4096),
          /**
           * Refuse the file when the last part of its path is a link. This is for files that a store made and no person
           * chose.
           */
          noLinks: z.optional(z.boolean()),
        }),
      )
      .check(z.maxLength(10_000)),
    [],
  ),
  /** Patterns of paths to refuse, in addition to the denylist. Nothing shortens the denylist. */
  deny: z._default(z.array(text(1024)).check(z.maxLength(1000)), []),
  /** The built-ins the script may call. */
  builtins: z._default(z.array(z.enum(builtinNames)), [...builtinNames]),
  ...readLimitsShape,
});

/** What one run may read, with the defaults filled in. */
export type Scope = z.output<typeof scopeSchema>;
/** What one run may read. All sizes in bytes. */
export type ScopeOptions = z.input<typeof scopeSchema>;

/** Made once, because filling in the defaults for each run took a twentieth of the sidecar's time for a small run. */
export const defaultScope: Readonly<Scope> = Object.freeze(z.parse(scopeSchema, {}));
