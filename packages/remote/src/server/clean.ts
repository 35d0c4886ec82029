import {
  errorDataSchema,
  SandboxError,
  toSandboxError,
  withoutPaths,
  type ErrorCode,
  type ErrorDetails,
} from '@mustard-sandbox/protocol';
import type { SandboxStats } from '@mustard-sandbox/client/peer';
import { remoteProtocol, type RemoteStats } from '../wire/protocol.ts';

/** Codes whose messages come from the machine, and not from the script or from a rule that it broke. */
const ofMachine = new Set<ErrorCode>([
  'sidecar_crashed',
  'sidecar_unavailable',
  'engine_unavailable',
  'protocol_error',
  'connection_lost',
]);

/** The nearest code for clients that know only the codes of a sidecar. */
const plainCodes: Partial<Record<ErrorCode, ErrorCode>> = {
  sidecar_crashed: 'engine_unavailable',
  sidecar_unavailable: 'engine_unavailable',
  quarantined: 'engine_unavailable',
  connection_lost: 'engine_unavailable',
  queue_full: 'closed',
};

const plainFields = Object.keys(errorDataSchema.shape.details.def.innerType.shape);
const remoteFields = Object.keys(remoteProtocol.errorData.shape.details.def.innerType.shape);

/** An error in the form in which it may leave the server: without paths, and with the facts that its dialect knows. */
export function cleanError(error: unknown, dialect: 'plain' | 'remote'): SandboxError {
  const { code, message, details } = toSandboxError(error);
  const fields = dialect === 'plain' ? plainFields : remoteFields;
  const kept = Object.fromEntries(
    Object.entries(details).filter(([name, value]) => fields.includes(name) && value !== undefined),
  ) as ErrorDetails;
  const shown = dialect === 'plain' ? (plainCodes[code] ?? code) : code;
  const text = ofMachine.has(code) ? withoutPaths(message) : message;
  return new SandboxError(shown, shown === code ? text : `${code}: ${text}`, { details: kept });
}

/** The statistics of a sandbox for a client: what its processes do, without their pids. */
export function cleanStats(stats: SandboxStats): RemoteStats {
  const { state, processes, queued, isolation, quarantinedScripts } = stats;
  return {
    state,
    processes: processes.map(({ sidecar, state, runs, residentBytes }) => ({ sidecar, state, runs, residentBytes })),
    queued,
    isolation: {
      requested: isolation.requested,
      ...(isolation.active !== undefined && { active: isolation.active }),
      ...(isolation.by !== undefined && { by: withoutPaths(isolation.by) }),
      ...(isolation.reason !== undefined && { reason: withoutPaths(isolation.reason) }),
      ...(isolation.degraded === true && { degraded: true }),
    },
    quarantinedScripts,
  };
}

/** The facts of an event in the form in which they may leave the server. */
export function cleanFacts(facts: object): Record<string, unknown> {
  const entries = Object.entries(facts)
    .filter(([name]) => name !== 'pid')
    .map(([name, value]) => [name, typeof value === 'string' ? withoutPaths(value) : (value as unknown)]);
  return Object.fromEntries(entries) as Record<string, unknown>;
}
