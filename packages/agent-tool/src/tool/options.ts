import { resolve } from 'node:path';
import { limitTable, SandboxError, type LimitOptions, type Sandbox } from '@mustard-sandbox/client';
import * as z from 'zod';
import { chatSchema } from '../attachments/arguments.ts';
import type { AttachmentSource } from '../attachments/attachment.ts';
import type { AgentEventListener } from '../events.ts';
import { parse } from '../options.ts';
import { listedFiles } from './attachments.ts';
import { mediaOf, type Media } from './media.ts';
import type { ConsentFunction } from './consent.ts';
import { hostFunctionsSchema } from './host-functions.ts';
import { parseSettings, settingsSchema, type Settings, type SettingsInput } from './settings.ts';
import type { TracerLike } from './telemetry.ts';

type SettingsSource = () => SettingsInput;

const callable = (value: unknown): boolean => typeof value === 'function';
const has =
  (method: string) =>
  (value: unknown): boolean =>
    callable((value as Record<string, unknown> | null | undefined)?.[method]);

const limitShape = Object.entries(limitTable).map(([name, { ceiling }]) => [
  name,
  z.int().min(1).max(ceiling).optional(),
]);

/** Limits of a run; what is left out has its default. */
const limitsSchema = (
  z.strictObject(Object.fromEntries(limitShape)) as unknown as z.ZodType<LimitOptions, LimitOptions>
).default({});

const toolOptionsSchema = z.strictObject({
  /** Where scripts run; the tool neither starts nor closes it. None: the tool makes its own on first use. */
  sandbox: z
    .custom<Sandbox>((value) => has('run')(value) && has('stats')(value), 'must come from createSandbox()')
    .optional(),
  /**
   * How the tool's own sandbox is confined, as in the options of `createSandbox`: by default in a jail of the operating
   * system where there is one, in which nothing but `appPath`, the media folder and the attachments can be read.
   */
  isolation: z.enum(['process', 'jail', 'auto']).optional(),
  /** The folder that scripts may read in; none: only attachments. */
  appPath: z.string().min(1).optional(),
  /** An `AttachmentStore` or another source, or files; looked at anew by each call. */
  attachments: z
    .union(
      [
        z.array(z.union([z.string().min(1), z.strictObject({ name: z.string(), path: z.string().min(1) })])),
        z.custom<AttachmentSource>(has('list')),
      ],
      'must be files, { name, path } or paths, or an object with a list() like AttachmentStore',
    )
    .default([]),
  /** What the user chose, or a function that tells it at each call, at once. Left out: the defaults, which ask. */
  settings: z.union([settingsSchema, z.custom<SettingsSource>(callable)]).default(settingsSchema.parse({})),
  /** Asks a person where the settings say `ask`. Without it such a script is refused. */
  consent: z.custom<ConsentFunction>(callable, 'must be a function').optional(),
  /** How long a person may take for one answer, in ms; then it is a no. */
  consentTimeoutMs: z
    .int()
    .min(1)
    .max(2 ** 31 - 1)
    .default(5 * 60_000),
  /** Hears what happens, by name, with its facts. */
  events: z.custom<AgentEventListener>(callable, 'must be a function').optional(),
  /** Host functions that scripts may call, besides the read-only three that are always there. */
  hostFunctions: hostFunctionsSchema.default({}),
  /**
   * Limits other than the defaults. Given here and not to `createSandbox`, the description tells them to the model.
   * `timeoutMs` here goes before the setting of the user.
   */
  limits: limitsSchema,
  /**
   * Where the whole text of a result goes that is too long for the model; relative to `appPath`. Default: the
   * folder of the attachment store, or `.dyad/media`; without an `appPath` such a text is only cut.
   */
  mediaDir: z.string().min(1).optional(),
  /**
   * Whose scripts these are: any text that names the chat. Their long outputs are for this chat's scripts alone. Default:
   * the chat of the `AttachmentStore`.
   */
  chat: chatSchema.optional(),
  /** An OpenTelemetry tracer: one span a run, one below it for each call of a host function. */
  tracer: z.custom<TracerLike>(has('startSpan'), 'must be an OpenTelemetry tracer').optional(),
});

/** Options of the tool. Paths may be relative to the host's working directory. Unknown keys are refused. */
export type ExecuteSandboxScriptToolOptions = z.input<typeof toolOptionsSchema>;

type Parsed = z.output<typeof toolOptionsSchema>;

export interface ToolOptions extends Omit<Parsed, 'attachments' | 'settings' | 'appPath' | 'mediaDir' | 'chat'> {
  attachments: AttachmentSource;
  readSettings: () => Settings;
  /** Known when they are an object: then they do not change. */
  fixedSettings: Settings | undefined;
  /** Absolute. */
  appPath: string | undefined;
  media: Media;
  chat: string | undefined;
}

/**
 * Checks limits of a run that come from outside.
 *
 * @param what where they come from, for the message
 * @throws {SandboxError} `invalid_request` naming every limit that is unknown or out of range
 */
export function parseLimits(limits: unknown, what: string): LimitOptions {
  return parse(limitsSchema, limits, what);
}

/** @throws {SandboxError} `invalid_request` naming every wrong option */
export function parseToolOptions(options: ExecuteSandboxScriptToolOptions): ToolOptions {
  const { settings, attachments, appPath, mediaDir, chat, ...rest } = parse(
    toolOptionsSchema,
    options,
    'createExecuteSandboxScriptTool()',
  );
  if (rest.sandbox !== undefined && rest.isolation !== undefined) {
    throw new SandboxError(
      'invalid_request',
      'createExecuteSandboxScriptTool(): isolation: a sandbox that is given has its own; pass it to createSandbox().',
    );
  }
  const fixedSettings = typeof settings === 'function' ? undefined : settings;
  const source = Array.isArray(attachments) ? listedFiles(attachments) : attachments;
  return {
    ...rest,
    attachments: source,
    fixedSettings,
    readSettings: typeof settings === 'function' ? () => parseSettings(atOnce(settings())) : () => settings,
    appPath: appPath === undefined ? undefined : resolve(appPath),
    media: mediaOf(mediaDir, appPath === undefined ? undefined : resolve(appPath), source),
    chat: chatOf(chat, source),
  };
}

/** A promise has no keys, so that every setting would pass for left out. */
function atOnce<T>(settings: T): T {
  if (!(settings instanceof Promise)) return settings;
  settings.catch(() => {});
  throw new SandboxError('invalid_request', 'settings: the function must return the settings, not a promise of them.');
}

function chatOf(given: string | undefined, source: AttachmentSource): string | undefined {
  if (given === undefined || source.chat === undefined || given === source.chat) return given ?? source.chat;
  throw new SandboxError(
    'invalid_request',
    `createExecuteSandboxScriptTool(): chat: it is ${JSON.stringify(given)}, and the store's is ${JSON.stringify(source.chat)}.`,
  );
}
