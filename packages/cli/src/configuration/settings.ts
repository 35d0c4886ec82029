import { parseBytes } from '@mustard-sandbox/agent-tool';
import type { EngineChoice, LimitOptions } from '@mustard-sandbox/client';
import { parseEngine } from '../arguments.ts';
import { limitNames, parseLimit, shortName } from '../limits.ts';
import { UsageError } from '../failure.ts';

const sizePolicies = ['ask', 'allow', 'truncate', 'reject'] as const;
export type SizePolicy = (typeof sizePolicies)[number];

/** The settings in the file. A setting that the file leaves out is absent. */
export interface Settings {
  attachment: { sizeThreshold?: number; sizePolicy?: SizePolicy; truncateTo?: number };
  limits: LimitOptions;
  engine?: EngineChoice;
  bash: BashSettings;
}

/** `[app.bash_tools]`. */
export interface BashSettings {
  enabled: boolean;
  access: (typeof accesses)[number];
  secret?: string;
  network: boolean;
  /** First words of commands, by the user's decision: run, ask or refuse. */
  rules: Record<'allow' | 'ask' | 'deny', string[]>;
  /** The limits as they are in the file; the bash tools check them. */
  limits: Record<string, number>;
}

/** The settings without a file. */
export function noSettings(): Settings {
  const rules = { allow: [], ask: [], deny: [] };
  return {
    attachment: {},
    limits: {},
    bash: { enabled: false, access: 'loopback', network: false, rules, limits: {} },
  };
}

const accesses = ['loopback', 'lan'] as const;
/** Limits of the bash tools that are sizes. The others are numbers. */
const bashSizes = ['memoryBytes', 'workspaceBytes', 'outputBytes'] as const;
const bashNumbers = [
  ...(['timeoutMs', 'maxTimeoutMs', 'processes', 'openFiles', 'maxStdoutChars', 'maxStderrChars'] as const),
  ...(['workspaceFiles', 'idleTtlMs', 'maxConcurrent', 'maxQueue', 'queueTimeoutMs'] as const),
];

/**
 * Takes over a value. `where` names file, line and key.
 *
 * @throws {UsageError | SandboxError} for a wrong value
 */
type Reader = (settings: Settings, value: unknown, where: string) => void;

export interface Table {
  readonly [key: string]: Reader | Table;
}

const snakeCase = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

const bashLimitReaders = [...bashSizes, ...bashNumbers].map((name): [string, Reader] => [
  snakeCase(name),
  ({ bash }, value, where) => {
    const isSize = bashSizes.some((size) => size === name);
    bash.limits[name] = isSize ? sizeOf(value, where) : numberOf(value, where);
  },
]);

const limitReaders = limitNames.map((name): [string, Reader] => [
  snakeCase(shortName(name)),
  (settings, value, where) => void (settings.limits[name] = parseLimit(name, where, textOrNumber(value, where))),
]);

/** Every setting that the file can have. */
export const table: Table = {
  conversation: {
    attachment: {
      size_threshold: ({ attachment }, value, where) => void (attachment.sizeThreshold = sizeOf(value, where)),
      size_policy: ({ attachment }, value, where) => void (attachment.sizePolicy = policyOf(value, where)),
      truncate_to: ({ attachment }, value, where) => void (attachment.truncateTo = sizeOf(value, where)),
    },
  },
  limits: Object.fromEntries(limitReaders),
  scripts: {
    engine: (settings, value, where) => void (settings.engine = parseEngine(where, textOrNumber(value, where))),
  },
  app: {
    bash_tools: {
      enabled: ({ bash }, value, where) => void (bash.enabled = booleanOf(value, where)),
      access: ({ bash }, value, where) => void (bash.access = accessOf(value, where)),
      secret: ({ bash }, value, where) => void (bash.secret = textOrNumber(value, where)),
      network: ({ bash }, value, where) => void (bash.network = booleanOf(value, where)),
      allow: ({ bash }, value, where) => void (bash.rules.allow = textsOf(value, where)),
      ask: ({ bash }, value, where) => void (bash.rules.ask = textsOf(value, where)),
      deny: ({ bash }, value, where) => void (bash.rules.deny = textsOf(value, where)),
      limits: Object.fromEntries(bashLimitReaders),
    },
  },
};

function accessOf(value: unknown, where: string): BashSettings['access'] {
  const access = accesses.find((name) => name === value);
  if (access !== undefined) return access;
  throw new UsageError(`${where}: ${shown(value)} is not one of ${accesses.join(', ')}.`);
}

function booleanOf(value: unknown, where: string): boolean {
  if (typeof value === 'boolean') return value;
  throw new UsageError(`${where}: ${shown(value)} is neither true nor false.`);
}

function numberOf(value: unknown, where: string): number {
  const number = Number(textOrNumber(value, where));
  if (Number.isFinite(number)) return number;
  throw new UsageError(`${where}: ${shown(value)} is not a number.`);
}

function textsOf(value: unknown, where: string): string[] {
  if (Array.isArray(value) && value.every((item) => typeof item === 'string')) return value;
  throw new UsageError(`${where}: ${shown(value)} is not a list of texts.`);
}

function policyOf(value: unknown, where: string): SizePolicy {
  const policy = sizePolicies.find((name) => name === value);
  if (policy !== undefined) return policy;
  throw new UsageError(`${where}: ${shown(value)} is not one of ${sizePolicies.join(', ')}.`);
}

function sizeOf(value: unknown, where: string): number {
  return parseBytes(textOrNumber(value, where), where);
}

/** A number means the same as its text without a unit. */
function textOrNumber(value: unknown, where: string): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'bigint') return String(value);
  throw new UsageError(`${where}: ${shown(value)} is neither a text nor a number.`);
}

function shown(value: unknown): string {
  return typeof value === 'string' ? `'${value}'` : Array.isArray(value) ? 'a list' : `a ${typeof value}`;
}
