/** What a person should know of the sandbox that scripts run in. Times are ISO 8601. */
export interface SandboxHealth {
  /** `restarting` and `unavailable`: its processes end while they start, so scripts wait, or fail. */
  readonly state: 'ready' | 'restarting' | 'unavailable';
  /** Why, when it is not ready. */
  readonly message?: string;
  /** When it is started again, when it is not ready. */
  readonly retryAt?: string;
  /** Why scripts run without a jail although there should be one. */
  readonly unconfined?: string;
}

/** One of the sandbox's own events, for `RunStore.dispatch`; made by `followSandbox`. */
export type SandboxEvent = { at: string } & (
  | { type: 'card.sandbox.not_ready'; state: 'restarting' | 'unavailable'; retryMs: number; message: string }
  | { type: 'card.sandbox.ready' }
  | { type: 'card.sandbox.unconfined'; reason: string }
  | { type: 'card.sandbox.confined' }
);

/** The part of a `Sandbox` that `followSandbox` listens to. */
export interface SandboxSource {
  on(event: 'backing_off', listener: (facts: { delayMs: number; message: string }) => void): () => void;
  on(event: 'unavailable', listener: (facts: { untilMs: number; message: string }) => void): () => void;
  on(event: 'recovered', listener: () => void): () => void;
  on(event: 'isolation_degraded', listener: (facts: { reason: string }) => void): () => void;
  on(event: 'spawned', listener: (facts: { isolation: 'process' | 'jail' }) => void): () => void;
}

/**
 * Passes on what a sandbox says about itself: that it cannot be started, that it could again, that it has no jail.
 *
 * @param sandbox that of `createSandbox`
 * @param dispatch `dispatch` of a store, or what sends the event to the page that has the store
 * @returns stops it
 */
export function followSandbox(sandbox: SandboxSource, dispatch: (event: SandboxEvent) => void): () => void {
  const at = (): string => new Date().toISOString();
  const stops = [
    sandbox.on('backing_off', ({ delayMs: retryMs, message }) =>
      dispatch({ type: 'card.sandbox.not_ready', at: at(), state: 'restarting', retryMs, message }),
    ),
    sandbox.on('unavailable', ({ untilMs: retryMs, message }) =>
      dispatch({ type: 'card.sandbox.not_ready', at: at(), state: 'unavailable', retryMs, message }),
    ),
    sandbox.on('recovered', () => dispatch({ type: 'card.sandbox.ready', at: at() })),
    sandbox.on('isolation_degraded', ({ reason }) => dispatch({ type: 'card.sandbox.unconfined', at: at(), reason })),
    sandbox.on('spawned', ({ isolation }) => {
      if (isolation === 'jail') dispatch({ type: 'card.sandbox.confined', at: at() });
    }),
  ];
  return () => {
    for (const stop of stops) stop();
  };
}

export const healthy: SandboxHealth = { state: 'ready' };

/** The health after an event; the same object when nothing changed. */
export function healthAfter(before: SandboxHealth, event: SandboxEvent): SandboxHealth {
  const { unconfined } = before;
  const jail = unconfined === undefined ? {} : { unconfined };
  switch (event.type) {
    case 'card.sandbox.not_ready': {
      const { state, message } = event;
      return { state, message, retryAt: new Date(Date.parse(event.at) + event.retryMs).toISOString(), ...jail };
    }
    case 'card.sandbox.ready':
      return before.state === 'ready' ? before : { state: 'ready', ...jail };
    case 'card.sandbox.unconfined':
      return { ...before, unconfined: event.reason };
    case 'card.sandbox.confined': {
      if (unconfined === undefined) return before;
      const { unconfined: _, ...rest } = before;
      return rest;
    }
  }
}
