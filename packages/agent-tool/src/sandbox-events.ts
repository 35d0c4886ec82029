/** What a person should know of the sandbox that scripts run in; made by `followSandbox`. `retryMs`: in ms from `at`. */
export type SandboxEvent = { at: string } & (
  | { type: 'sandbox.not_ready'; state: 'restarting' | 'unavailable'; retryMs: number; message: string }
  | { type: 'sandbox.ready' }
  | { type: 'sandbox.unconfined'; reason: string }
  | { type: 'sandbox.confined' }
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
 * Passes on what a sandbox reports about itself: that it cannot be started, that it can be started again, that it has
 * no jail.
 *
 * @param sandbox from `createSandbox`
 * @param tell `dispatch` of the run store of the cards, or a function that sends the event to the page with the store
 * @returns stops it
 */
export function followSandbox(sandbox: SandboxSource, tell: (event: SandboxEvent) => void): () => void {
  const at = (): string => new Date().toISOString();
  const stops = [
    sandbox.on('backing_off', ({ delayMs: retryMs, message }) =>
      tell({ type: 'sandbox.not_ready', at: at(), state: 'restarting', retryMs, message }),
    ),
    sandbox.on('unavailable', ({ untilMs: retryMs, message }) =>
      tell({ type: 'sandbox.not_ready', at: at(), state: 'unavailable', retryMs, message }),
    ),
    sandbox.on('recovered', () => tell({ type: 'sandbox.ready', at: at() })),
    sandbox.on('isolation_degraded', ({ reason }) => tell({ type: 'sandbox.unconfined', at: at(), reason })),
    sandbox.on('spawned', ({ isolation }) => {
      if (isolation === 'jail') tell({ type: 'sandbox.confined', at: at() });
    }),
  ];
  return () => {
    for (const stop of stops) stop();
  };
}
