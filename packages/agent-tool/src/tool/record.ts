import { engineNames, type ErrorCode, isErrorCode, SandboxError } from '@mustard-sandbox/client';
import { printable } from '@mustard-sandbox/protocol';
import * as z from 'zod';
import { formatBytes } from '../sizes.ts';
import { parse } from '../options.ts';

/** Raised with every change that an older reader would not understand. */
const recordVersion = 1;

const count = z.int().min(0);
const text = z.string();

/** Times in ms, sizes in bytes. For a run that did not complete, only `durationMs` is known. */
const statsSchema = z.strictObject({
  durationMs: z.number().min(0),
  executionMs: z.number().min(0).optional(),
  instructionsUsed: count.optional(),
  heapBytesUsed: count.optional(),
  hostCalls: count.optional(),
  bytesRead: count.optional(),
});

const locationSchema = z.strictObject({
  line: z.int().min(1),
  column: z.int().min(1),
  endLine: z.int().min(1),
  endColumn: z.int().min(1),
  precision: z.enum(['statement', 'function']),
  functionName: text.optional(),
});

/** Where a failed run spent its time: its calls by function, and the script itself. Times in ms. */
const spentSchema = z.strictObject({
  calls: z.array(z.strictObject({ name: text, calls: count, ms: z.number().min(0), bytes: count })),
  scriptMs: z.number().min(0),
});

const common = {
  version: z.literal(recordVersion),
  /** The id of the call in its events. */
  runId: text.optional(),
  /** Names of the attachments that it read, if known. */
  attachmentsRead: z.array(text).optional(),
  /** Whether the operating system confined its sidecar. */
  isolation: z.enum(['process', 'jail']).optional(),
  /** Which engine ran it, if known. */
  engine: z.enum(engineNames).optional(),
  /** The files that it saved: name, size in bytes, first lines. */
  outputs: z.array(z.strictObject({ name: text, size: count, head: text })).optional(),
  /** As the model wrote it. */
  script: text,
  /** The model's description of the script. */
  description: text.optional(),
  stats: statsSchema,
  /** When the call began, ISO 8601. */
  at: z.iso.datetime(),
};

/** The three kinds of record, distinguished by `status`. */
const schemas = {
  result: z.strictObject({
    ...common,
    /** The script completed: what the model got. */
    result: z.strictObject({
      text,
      truncated: z.boolean(),
      fullOutput: text.optional(),
      /** Bytes of the whole result, and of the part that the model got. */
      totalBytes: count.optional(),
      shownBytes: count.optional(),
      /** Whether the result was empty. `text` then only says so. */
      empty: z.boolean().optional(),
    }),
  }),
  error: z.strictObject({
    ...common,
    /** The script failed: why, and what the model got. */
    error: z.strictObject({
      code: z.custom<ErrorCode>(isErrorCode, 'is no error code'),
      message: text,
      text,
      /** The location in the script. */
      location: locationSchema.optional(),
      /** The limit or deadline that was reached: its name, its value and the unit of the value. */
      limit: z.strictObject({ name: text, value: z.number(), unit: text.optional() }).optional(),
      /** Why the process crashed, such as `out_of_memory`. */
      reason: text.optional(),
      spent: spentSchema.optional(),
    }),
  }),
  denied: z.strictObject({
    ...common,
    /** The script was not allowed: who decided that, and what the model got. */
    denied: z.strictObject({ by: z.enum(['settings', 'user', 'error']), text }),
  }),
};

/** One call of the tool, to be kept with the chat. `text` is what the model got. */
export const recordSchema = z.union([schemas.result, schemas.error, schemas.denied]);

/** One call of the tool, to be kept with the chat; rendering it never runs it. */
export type ScriptRecord = z.output<typeof recordSchema>;
export type RecordStats = ScriptRecord['stats'];
export type RecordedError = z.output<typeof schemas.error>['error'];
/** The fields of every record. */
export type RecordFacts = Pick<ScriptRecord, 'attachmentsRead' | 'isolation' | 'engine' | 'outputs'>;

/**
 * Checks a stored record.
 *
 * @throws {SandboxError} `invalid_request` if it is not a record, or a record of a newer version
 */
export function parseRecord(value: unknown): ScriptRecord {
  const { version } = (value ?? {}) as { version?: unknown };
  if (typeof version === 'number' && version > recordVersion) {
    throw new SandboxError(
      'invalid_request',
      `record: it has version ${version}, and this release reads up to version ${recordVersion}. Update to read it.`,
    );
  }
  // The union is not used, because its error would only say that no case fits.
  const { error, denied } = (value ?? {}) as { error?: unknown; denied?: unknown };
  const kind = error !== undefined ? 'error' : denied !== undefined ? 'denied' : 'result';
  return parse(schemas[kind], value, 'record');
}

/**
 * A record as plain text, for a log or a simple view: the description, the script and the answer. It runs nothing and
 * reads no file. Characters that do not print are escaped.
 *
 * @throws {SandboxError} `invalid_request` like `parseRecord`
 */
export function renderRecord(value: ScriptRecord): string {
  const record = parseRecord(value);
  const title = record.description ?? 'Script';
  const script = record.script.trimEnd().replaceAll(/^/gm, '    ');
  return printable([title, headline(record), script, answerOf(record)].join('\n\n'));
}

function headline({ at, stats, ...record }: ScriptRecord): string {
  const facts = [at, statusOf(record), `${Math.round(stats.durationMs)} ms`];
  if (stats.bytesRead !== undefined && stats.bytesRead > 0) facts.push(`${formatBytes(stats.bytesRead)} read`);
  return facts.join(' · ');
}

function statusOf(record: object): string {
  if ('result' in record) return 'completed';
  return 'error' in record ? `failed: ${(record.error as { code: string }).code}` : 'not allowed';
}

function answerOf(record: ScriptRecord): string {
  if ('result' in record) return record.result.text;
  return 'error' in record ? record.error.text : record.denied.text;
}
