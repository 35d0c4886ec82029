import {
  defaultMaxTimeoutMs,
  engineChoices,
  limitTable,
  withTimeout,
  type LimitOptions,
  type RunOptions,
} from '@mustard-sandbox/client';
import * as z from 'zod';
import { parse } from '../options.ts';

const consentModes = ['ask', 'always', 'never'] as const;

const timeoutRange = { min: 100, max: defaultMaxTimeoutMs };
const timeoutProblem = `must be a whole number of milliseconds from ${timeoutRange.min} to ${timeoutRange.max}`;

/** The settings as a zod schema, with their defaults. */
export const settingsSchema = z.strictObject({
  /** Whether the model may run scripts at all. */
  enabled: z.boolean('must be true or false').default(true),
  /** Whether a person is asked before a script runs. */
  consent: z.enum(consentModes, `must be one of ${consentModes.join(', ')}`).default('ask'),
  /** How long one script may compute, in ms. */
  timeoutMs: z
    .int(timeoutProblem)
    .min(timeoutRange.min, timeoutProblem)
    .max(timeoutRange.max, timeoutProblem)
    .default(limitTable.timeoutMs.default),
  /**
   * The engine for scripts. `auto` means the choice of the tool's sandbox, which by default chooses by the text of each
   * script.
   */
  engine: z.enum(engineChoices, `must be one of ${engineChoices.join(', ')}`).default('auto'),
});

/** What a person may choose. */
export type Settings = z.output<typeof settingsSchema>;
/** The settings as they may be stored. A setting that is left out has its default. */
export type SettingsInput = z.input<typeof settingsSchema>;

/** Scripts are on, consent is asked for, a script has 2 s, and its text chooses its engine. */
export const defaultSettings: Readonly<Settings> = Object.freeze(settingsSchema.parse({}));

/**
 * Settings with the defaults filled in.
 *
 * @throws {SandboxError} `invalid_request` naming every wrong or unknown key and what it may be
 */
export function parseSettings(value: unknown = {}): Settings {
  return parse(settingsSchema, value, 'settings');
}

/** The limits of a run: those of the host, and the user's time if the host gave none. */
export function limitsFor(limits: LimitOptions, { timeoutMs }: Pick<Settings, 'timeoutMs'>): LimitOptions {
  return limits.timeoutMs === undefined ? { ...withTimeout(timeoutMs), ...limits } : limits;
}

/** The engine that the user chose for a run; empty when the sandbox is to choose. */
export function engineFor({ engine }: Pick<Settings, 'engine'>): Pick<RunOptions, 'engine'> {
  return engine === 'auto' ? {} : { engine };
}

/** Everything that a settings page needs to show one setting. It can be written as JSON. */
export type SettingInfo = { label: string; description: string } & (
  | { type: 'boolean'; default: boolean }
  | { type: 'choice'; default: string; choices: { value: string; label: string }[] }
  | { type: 'number'; default: number; min: number; max: number; step: number; unit: string }
);

/** The settings by name, in the order to show them in. */
export const settingsInfo: Readonly<Record<keyof Settings, SettingInfo>> = {
  enabled: {
    type: 'boolean',
    label: 'Scripts',
    description: 'Lets the model run small read-only scripts over attached files and the project.',
    default: defaultSettings.enabled,
  },
  consent: {
    type: 'choice',
    label: 'Permission',
    description: 'Whether you are asked before a script runs.',
    default: defaultSettings.consent,
    choices: [
      { value: 'ask', label: 'Ask each time' },
      { value: 'always', label: 'Always allow' },
      { value: 'never', label: 'Never allow' },
    ],
  },
  timeoutMs: {
    type: 'number',
    label: 'Time limit',
    description: 'How long one script may compute. Longer suits files of hundreds of megabytes.',
    default: defaultSettings.timeoutMs,
    ...timeoutRange,
    step: 100,
    unit: 'ms',
  },
  engine: {
    type: 'choice',
    label: 'Engine',
    description:
      'The engine that runs scripts. QuickJS runs JavaScript. MustardScript runs a part of it, and starts sooner.',
    default: defaultSettings.engine,
    choices: [
      { value: 'auto', label: 'Automatic' },
      { value: 'quickjs', label: 'QuickJS' },
      { value: 'mustardscript', label: 'MustardScript' },
    ],
  },
};
