import type { SandboxEvent } from '@mustard-sandbox/agent-tool';

/** What a person should know of the sandbox that scripts run in. Times are ISO 8601. */
export interface SandboxHealth {
  /** `restarting` and `unavailable`: its processes end while they start, so scripts wait or fail. */
  readonly state: 'ready' | 'restarting' | 'unavailable';
  /** Why it is not ready. */
  readonly message?: string;
  /** When the next start is tried, if it is not ready. */
  readonly retryAt?: string;
  /** Why scripts run without a jail although there should be one. */
  readonly unconfined?: string;
}

export const healthy: SandboxHealth = { state: 'ready' };

/** The health after an event. It is the same object when nothing changed. */
export function healthAfter(before: SandboxHealth, event: SandboxEvent): SandboxHealth {
  const { unconfined } = before;
  const jail = unconfined === undefined ? {} : { unconfined };
  switch (event.type) {
    case 'sandbox.not_ready': {
      const { state, message } = event;
      return { state, message, retryAt: new Date(Date.parse(event.at) + event.retryMs).toISOString(), ...jail };
    }
    case 'sandbox.ready':
      return before.state === 'ready' ? before : { state: 'ready', ...jail };
    case 'sandbox.unconfined':
      return { ...before, unconfined: event.reason };
    case 'sandbox.confined': {
      if (unconfined === undefined) return before;
      const { unconfined: _, ...rest } = before;
      return rest;
    }
  }
}
