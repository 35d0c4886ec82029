import { parseBytes } from '@mustard-sandbox/agent-tool';
import type { LimitOptions } from '@mustard-sandbox/client';
import { limitNames, parseLimit, shortName } from '../limits.ts';
import { UsageError } from '../failure.ts';

const sizePolicies = ['ask', 'allow', 'truncate', 'reject'] as const;
export type SizePolicy = (typeof sizePolicies)[number];

/** What the file says; what it leaves out is not there. */
export interface Settings {
  attachment: { sizeThreshold?: number; sizePolicy?: SizePolicy; truncateTo?: number };
  limits: LimitOptions;
}

/** Takes over a value. `where` names file, line and key. @throws {UsageError | SandboxError} for a wrong value */
type Reader = (settings: Settings, value: unknown, where: string) => void;

export interface Table {
  readonly [key: string]: Reader | Table;
}

const limitReaders = limitNames.map((name): [string, Reader] => [
  shortName(name).replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
  (settings, value, where) => void (settings.limits[name] = parseLimit(name, where, textOf(value, where))),
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
};

function policyOf(value: unknown, where: string): SizePolicy {
  const policy = sizePolicies.find((name) => name === value);
  if (policy !== undefined) return policy;
  throw new UsageError(`${where}: ${shown(value)} is none of ${sizePolicies.join(', ')}.`);
}

function sizeOf(value: unknown, where: string): number {
  return parseBytes(textOf(value, where), where);
}

/** A number is what it would be without a unit. */
function textOf(value: unknown, where: string): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'bigint') return String(value);
  throw new UsageError(`${where}: ${shown(value)} is neither a text nor a number.`);
}

function shown(value: unknown): string {
  return typeof value === 'string' ? `'${value}'` : Array.isArray(value) ? 'a list' : `a ${typeof value}`;
}
