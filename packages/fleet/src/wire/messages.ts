import {
  engineChoices,
  engineNames,
  hostErrorSchema,
  limitOptionsSchema,
  parse,
  runProfileSchema,
  runStatsSchema,
  scopeSchema,
  type ErrorCode,
  type WireValue,
  isErrorCode,
} from '@mustard-sandbox/protocol';
import * as z from 'zod/mini';
import { traceparentPattern } from '../tracing.ts';

const count = z.int().check(z.gte(0));
const base64 = z.string().check(z.regex(/^[A-Za-z0-9+/]*={0,2}$/));
const sha256 = z.string().check(z.regex(/^[0-9a-f]{64}$/));
const value = z.union([
  z.strictObject({ json: z.unknown() }),
  z.strictObject({ tagged: z.unknown() }),
]) as z.ZodMiniType<WireValue, WireValue>;

/** A pass for a store: the query of a signed address. */
const pass = z.string().check(z.maxLength(8_192), z.regex(/^\?[\w.~%&=+-]*$/));

/** A file of a run, by its content. */
const fileSchema = z.strictObject({
  /** The name of an attachment, or the path of a file below the root. */
  name: z.string().check(z.maxLength(4_096)),
  /** Present when the file is below the root. */
  inRoot: z.optional(z.literal(true)),
  sha256,
  size: count,
  /** The time of the client's file, for scripts that ask for it. */
  mtimeMs: z.number().check(z.gte(-8.64e15), z.lte(8.64e15)),
  pass: z.optional(pass),
});
export type JobFile = z.output<typeof fileSchema>;

/** What a run may read, without any path. No text of a job is ever a place on a worker's disk. */
const jobScopeSchema = z.extend(z.omit(scopeSchema, { root: true, attachments: true }), {
  builtins: z.optional(scopeSchema.shape.builtins.def.innerType),
});

/** The answer to a call that a script waits for. */
const answerSchema = z.union([
  z.strictObject({ id: count, value }),
  z.strictObject({ id: count, error: hostErrorSchema }),
]);

/** The sealed part of a job. The sandbox of the worker checks the rest, as for a caller on its own machine. */
const jobSchema = z.strictObject({
  version: z.literal(1),
  kind: z.enum(['run', 'segment', 'validate', 'warm']),
  /** When the client added it, by the clock of the queue, in ms since 1970. */
  submittedAt: z.number(),
  /** When nobody waits for it any more. */
  expiresAt: z.number(),
  script: z.string(),
  engine: z.enum(engineChoices),
  inputs: z.optional(value),
  limits: z.optional(limitOptionsSchema),
  scope: z.optional(jobScopeSchema),
  /** Whether the script has a folder. The worker makes it from the files below the root. */
  hasRoot: z.boolean(),
  files: z.array(fileSchema).check(z.maxLength(20_000)),
  profile: z.optional(z.boolean()),
  /** Whether the client wants the console lines. */
  console: z.boolean(),
  hostFunctions: z.array(z.string()),
  /**
   * Present when the client takes an answer that is too large for the queue from the store. It holds the pass for
   * putting the answer.
   */
  spill: z.optional(z.strictObject({ pass: z.optional(pass) })),
  /** The span of the waiting client. */
  traceparent: z.optional(z.string().check(z.regex(traceparentPattern))),
  /** Where a segment continues. */
  from: z.optional(z.strictObject({ snapshot: base64, answers: z.array(answerSchema).check(z.minLength(1)) })),
});
export type JobBody = z.output<typeof jobSchema>;
/** A job in the form in which a client writes it. */
export type JobMessage = z.input<typeof jobSchema>;
/** What a client wants done. */
export type JobQuestion = Omit<JobMessage, 'version' | 'submittedAt' | 'expiresAt'>;

/** What is sealed in place of a job or an answer that is too large for the queue: the place of the sealed original. */
const elsewhereSchema = z.strictObject({
  version: z.literal(1),
  elsewhere: z.strictObject({ sha256, size: count.check(z.lte(64 * 1024 * 1024)), pass: z.optional(pass) }),
});
export type Elsewhere = z.output<typeof elsewhereSchema>;

/** The part of a job that everybody with access to the queue can read. */
export const envelopeSchema = z.strictObject({
  /** The client that has sent it. */
  client: z.string().check(z.regex(/^[0-9a-f-]{36}$/)),
  /** As base64. */
  sealed: base64,
});

const facts = {
  ...runStatsSchema.shape,
  engine: z.enum(engineNames),
  attachmentsRead: z.array(z.string()),
  warnings: z.array(z.unknown()),
};
const call = z.strictObject({
  id: count,
  name: z.string(),
  args: value,
  line: z.optional(count),
  column: z.optional(count),
});

const outcomeSchema = z.discriminatedUnion('state', [
  z.strictObject({ state: z.literal('completed'), value, profile: z.optional(runProfileSchema), ...facts }),
  z.strictObject({
    state: z.literal('waiting'),
    calls: z.array(call).check(z.minLength(1)),
    snapshot: base64,
    engineVersion: z.string(),
    ...facts,
  }),
  z.strictObject({ state: z.literal('validated'), diagnostics: z.array(z.unknown()) }),
  z.strictObject({ state: z.literal('warm'), info: z.record(z.string(), z.unknown()) }),
  z.strictObject({
    state: z.literal('failed'),
    code: z.string().check(z.refine(isErrorCode, 'is not an error code')) as z.ZodMiniType<ErrorCode, ErrorCode>,
    message: z.string(),
    details: z.record(z.string(), z.unknown()),
  }),
]);
export type Outcome = z.output<typeof outcomeSchema>;

/** The sealed part of an answer. */
const answerBodySchema = z.strictObject({
  version: z.literal(1),
  outcome: outcomeSchema,
  /** The release of the worker. A snapshot continues only in this release. */
  release: z.string().check(z.regex(/^[\w.+-]{1,64}$/)),
  /** How long the job waited, in ms. */
  queueMs: z.number().check(z.gte(0)),
  sidecar: count,
  console: z.array(z.strictObject({ level: z.enum(['log', 'warn', 'error']), text: z.string() })),
});
export type AnswerBody = z.output<typeof answerBodySchema>;

/** @throws {SandboxError} `invalid_request` */
export function readJob(bytes: Buffer): JobBody | Elsewhere {
  const given = JSON.parse(bytes.toString()) as object;
  return parse('elsewhere' in given ? elsewhereSchema : jobSchema, given, 'The job');
}

/** @throws {SandboxError} `protocol_error` */
export function readAnswer(bytes: Buffer): AnswerBody | Elsewhere {
  const given = JSON.parse(bytes.toString()) as object;
  const schema = 'elsewhere' in given ? elsewhereSchema : answerBodySchema;
  return parse(schema, given, 'The answer of the worker', 'protocol_error');
}
