import { createHash, timingSafeEqual } from 'node:crypto';
import { BashError } from './errors.ts';

/** Turns the tools on, together with the configuration, when it is `1`, `true`, `yes` or `on`. */
export const gateVariable = 'MUSTARD_ENABLE_BASH_TOOL';

/** The configuration, as in `[app.bash_tools]`. */
export interface GateSettings {
  /** `enabled = true`. */
  enabled: boolean;
  /**
   * `loopback` allows requests of this machine only. `lan` also allows requests of others, each with the shared secret.
   */
  access: 'loopback' | 'lan';
  /** Required of every request with `lan`; at least 32 characters. */
  secret?: string | undefined;
}

/** One condition for the tools to be there. */
export interface Gate {
  name: 'configuration' | 'environment' | 'secret';
  open: boolean;
  /** What the gate is, or what is missing. */
  detail: string;
}

const minSecretChars = 32;

/** Every gate, open or not, for `doctor` and a page of settings. */
export function gatesOf(settings: GateSettings, env: NodeJS.ProcessEnv = process.env): Gate[] {
  const value = env[gateVariable];
  const isOn = /^(?:1|true|yes|on)$/i.test(value?.trim() ?? '');
  const gates: Gate[] = [
    {
      name: 'configuration',
      open: settings.enabled,
      detail: settings.enabled ? '[app.bash_tools] enabled = true' : '[app.bash_tools] enabled is not true',
    },
    {
      name: 'environment',
      open: isOn,
      detail: isOn ? `${gateVariable} is set` : `${gateVariable} is not 1, true, yes or on`,
    },
  ];
  if (settings.access === 'loopback') return gates;
  const open = (settings.secret?.length ?? 0) >= minSecretChars;
  const detail = open
    ? 'access = "lan" with a shared secret'
    : `access = "lan" needs a secret of ${minSecretChars} characters`;
  return [...gates, { name: 'secret', open, detail }];
}

/** @throws {BashError} `disabled`, with the name of every gate that is closed */
export function assertGates(settings: GateSettings, env: NodeJS.ProcessEnv = process.env): void {
  const closed = gatesOf(settings, env).filter(({ open }) => !open);
  const [first] = closed;
  if (first === undefined) return;
  const details = closed.map(({ detail }) => detail).join('; ');
  throw new BashError('disabled', `The bash tools are off: ${details}.`, { details: { gate: first.name } });
}

/** What a server knows of a request. */
export interface GateRequest {
  /** The address of the socket, and not of a header. */
  remoteAddress: string | undefined;
  /** The shared secret that the request gave. */
  secret?: string | undefined;
}

/**
 * Checks whether a request may reach the tools.
 *
 * @throws {BashError} `disabled`, `forbidden`
 */
export function assertRequest(settings: GateSettings, request: GateRequest, env?: NodeJS.ProcessEnv): void {
  assertGates(settings, env);
  if (settings.access === 'loopback') {
    if (isLoopback(request.remoteAddress)) return;
    throw new BashError('forbidden', 'Only requests of this machine may use the bash tools (access = "loopback").');
  }
  if (isSame(request.secret ?? '', settings.secret ?? '')) return;
  throw new BashError('forbidden', 'The request has no shared secret, or another one (access = "lan").');
}

function isLoopback(address: string | undefined): boolean {
  const plain = address?.replace(/^::ffff:/i, '') ?? '';
  return plain === '::1' || /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(plain);
}

/** Compares in constant time: hashes have one length, and are compared to the end. */
function isSame(given: string, wanted: string): boolean {
  const hash = (text: string): Buffer => createHash('sha256').update(text).digest();
  return timingSafeEqual(hash(given), hash(wanted)) && wanted.length >= minSecretChars;
}
