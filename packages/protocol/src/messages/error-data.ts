import * as z from 'zod/mini';
import { engineNames } from '../engines.ts';
import { constructs, snapshotRefusals } from '../errors.ts';
import { limitNames, limitUnits, maxAttachmentsRead, maxTraceback } from '../limits.ts';
import { runProfileSchema } from '../profile.ts';
import { count, errorText, text } from '../scalars.ts';
import { diagnosticSchema, errorCode, locationSchema, maxProblems } from './diagnostics.ts';
import { thrownDetails } from './host-calls.ts';
import { spentSchema } from './stats.ts';

const errorDetailsSchema = z.strictObject({
  limit: z.optional(z.enum(limitNames)),
  value: z.optional(z.number()),
  unit: z.optional(z.enum(limitUnits)),
  actual: z.optional(z.number()),
  construct: z.optional(z.enum(constructs)),
  subject: z.optional(errorText),
  problem: z.optional(errorText),
  location: z.optional(locationSchema),
  frame: z.optional(errorText),
  name: z.optional(errorText),
  thrownMessage: z.optional(errorText),
  thrownCode: z.optional(errorText),
  thrownDetails: z.optional(thrownDetails),
  traceback: z.optional(z.array(locationSchema).check(z.maxLength(maxTraceback))),
  capability: z.optional(errorText),
  path: z.optional(errorText),
  refusal: z.optional(z.enum(snapshotRefusals)),
  attachmentsRead: z.optional(z.array(text(255)).check(z.maxLength(maxAttachmentsRead))),
  profile: z.optional(runProfileSchema),
  engine: z.optional(z.enum(engineNames)),
  spent: z.optional(spentSchema),
  residentBytes: z.optional(count),
  engineMessage: z.optional(errorText),
  platform: z.optional(errorText),
  problems: z.optional(z.array(errorText).check(z.maxLength(maxProblems))),
  diagnostics: z.optional(z.array(diagnosticSchema).check(z.maxLength(maxProblems))),
  clientVersion: z.optional(z.number()),
  serverVersion: z.optional(z.number()),
});

/** `data` of every JSON-RPC error response. Add the details of a new error to `errorDetailsSchema`. */
export const errorDataSchema = z.strictObject({
  /** The error code. The number of the response says the same. */
  code: errorCode,
  /** Facts about the error. Which of them are present depends on the code. */
  details: z.optional(errorDetailsSchema),
});
