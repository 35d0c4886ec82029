import { resolve } from 'node:path';
import { engineChoices, limitTable, SandboxError, type LimitOptions, type Sandbox } from '@mustard-sandbox/client';
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

/** Limits of a run. A limit that is left out has its default. */
const limitsSchema = (
  z.strictObject(Object.fromEntries(limitShape)) as unknown as z.ZodType<LimitOptions, LimitOptions>
).default({});

const toolOptionsSchema = z.strictObject({
  /**
   * Where scripts run. The tool neither starts nor closes it. Default: a sandbox of the tool, made at the first use.
   */
  sandbox: z
    .custom<Sandbox>((value) => has('run')(value) && has('stats')(value), 'must come from createSandbox()')
    .optional(),
  /**
   * How the tool's own sandbox is confined, as in the options of `createSandbox`. Default: in a jail of the operating
   * system if that is possible. In the jail only `appPath`, the media folder and the attachments can be read.
   */
  isolation: z.enum(['process', 'jail', 'auto']).optional(),
  /**
   * The engine for scripts in the tool's own sandbox, as in the options of `createSandbox`. Default: `auto`, which
   * chooses by the text of each script.
   */
  engine: z.enum(engineChoices).optional(),
  /** The folder that scripts may read in. Default: none, so scripts read only attachments. */
  appPath: z.string().min(1).optional(),
  /** An `AttachmentStore` or another source, or a list of files. Each call reads it again. */
  attachments: z
    .union(
      [
        z.array(z.union([z.string().min(1), z.strictObject({ name: z.string(), path: z.string().min(1) })])),
        z.custom<AttachmentSource>(has('list')),
      ],
      'must be files, { name, path } or paths, or an object with a list() like AttachmentStore',
    )
    .default([]),
  /**
   * The user's settings, or a function that returns them at each call, not as a promise. Default: ask before each
   * script.
   */
  settings: z.union([settingsSchema, z.custom<SettingsSource>(callable)]).default(settingsSchema.parse({})),
  /** Asks a person when the settings say `ask`. Without it, such a script is refused. */
  consent: z.custom<ConsentFunction>(callable, 'must be a function').optional(),
  /** How long a person may take for one answer, in ms. After that the answer counts as no. */
  consentTimeoutMs: z
    .int()
    .min(1)
    .max(2 ** 31 - 1)
    .default(5 * 60_000),
  /** Called with each event: its name and its facts. */
  events: z.custom<AgentEventListener>(callable, 'must be a function').optional(),
  /** Host functions that scripts may call, in addition to the built-ins. */
  hostFunctions: hostFunctionsSchema.default({}),
  /**
   * Limits other than the defaults. The description tells the model of limits given here, but not of limits given to
   * `createSandbox`. A `timeoutMs` here overrides the user's setting.
   */
  limits: limitsSchema,
  /**
   * Where the whole text of a result goes that is too long for the model, relative to `appPath`. Default: the folder of
   * the attachment store, or `.dyad/media`. Without an `appPath` such a text is only cut.
   */
  mediaDir: z.string().min(1).optional(),
  /**
   * The chat of these scripts: any text that names it. Only scripts of this chat read their long outputs. Default:
   * the chat of the `AttachmentStore`.
   */
  chat: chatSchema.optional(),
  /**
   * The folder where scripts keep files by `save`, or `{ folder, maxBytes, maxFiles }` with limits for each run. Keep
   * nothing else in it. A run replaces only files that it has saved itself. Later scripts read the files as
   * `outputs:<name>`. Default: scripts can save nothing.
   */
  outputs: z
    .union([
      z.string().min(1),
      z.strictObject({
        folder: z.string().min(1),
        maxBytes: z.int().min(1).optional(),
        maxFiles: z.int().min(1).optional(),
      }),
    ])
    .optional(),
  /** An OpenTelemetry tracer. It gets one span for each run, and one below it for each call of a host function. */
  tracer: z.custom<TracerLike>(has('startSpan'), 'must be an OpenTelemetry tracer').optional(),
});

/** Options of the tool. Paths may be relative to the host's working directory. Unknown keys are refused. */
export type ExecuteSandboxScriptToolOptions = z.input<typeof toolOptionsSchema>;

type Parsed = z.output<typeof toolOptionsSchema>;

export interface ToolOptions extends Omit<Parsed, 'attachments' | 'settings' | 'appPath' | 'mediaDir' | 'chat'> {
  attachments: AttachmentSource;
  readSettings: () => Settings;
  /** The settings, if they were given as an object and so never change. */
  fixedSettings: Settings | undefined;
  /** Absolute. */
  appPath: string | undefined;
  media: Media;
  chat: string | undefined;
}

/**
 * Checks limits of a run that come from outside.
 *
 * @param what names their source in the message
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
  for (const name of ['isolation', 'engine'] as const) {
    if (rest.sandbox === undefined || rest[name] === undefined) continue;
    throw new SandboxError(
      'invalid_request',
      `createExecuteSandboxScriptTool(): ${name}: a sandbox that is given has its own; pass it to createSandbox().`,
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

/** A promise has no keys, so every setting would count as left out. */
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
