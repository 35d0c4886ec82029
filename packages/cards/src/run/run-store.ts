import type { AgentEvent, SandboxEvent, ScriptRecord } from '@mustard-sandbox/agent-tool';
import { isLive, type LiveRun, type Run } from './run.ts';
import { statusOfError, type RunStatus } from './states.ts';
import { healthAfter, healthy, type SandboxHealth } from './sandbox-health.ts';

/**
 * The events behind the cards, in one stream: events of the tool, events of the sandbox from `followSandbox` of the
 * tool, and two events of the host with the texts, which the other events never hold. `runId` is the one that the host
 * gave to `execute`.
 */
export type CardEvent =
  | AgentEvent
  | SandboxEvent
  /** The model called the tool. */
  | { type: 'card.called'; at: string; runId: string; script: string; description?: string }
  /** The call was answered. */
  | { type: 'card.answered'; at: string; runId: string; record: ScriptRecord };

/** Passes every event to the listener until the returned function is called. */
export type CardEventSource = (listener: (event: CardEvent) => void) => () => void;

/** The state of all cards. The functions do not use `this`. */
export interface RunStore {
  /** For `useSyncExternalStore`. */
  readonly subscribe: (onChange: () => void) => () => void;
  /** All runs in the order of their first event. It is the same array until something changes. */
  readonly getSnapshot: () => readonly Run[];
  /** One run. It is the same object until it changes. */
  readonly get: (runId: string) => Run | undefined;
  /** The state of the sandbox. It is the same object until it changes. */
  readonly getHealth: () => SandboxHealth;
  /** Takes one event, for a host that has no source. */
  readonly dispatch: (event: CardEvent) => void;
  /** Stops listening to the source. */
  readonly close: () => void;
}

/**
 * Turns events into the state of cards. It runs nothing and makes no calls, because records of a stored chat are events
 * too.
 *
 * @param source where the events come from. Without it they come by `dispatch`
 */
export function createRunStore(source?: CardEventSource): RunStore {
  const runs = new Map<string, Run>();
  const listeners = new Set<() => void>();
  let snapshot: readonly Run[] = [];
  let health = healthy;

  /** Whether it changed anything. */
  const take = (event: CardEvent): boolean => {
    if (isOfSandbox(event)) {
      const before = health;
      health = healthAfter(before, event);
      return health !== before;
    }
    if (!('runId' in event)) return false;
    const before = runs.get(event.runId);
    const after = next(before, event);
    if (after === undefined || after === before) return false;
    runs.set(event.runId, after);
    snapshot = [...runs.values()];
    return true;
  };
  const dispatch = (event: CardEvent): void => {
    if (take(event)) for (const listener of listeners) listener();
  };
  const close = source?.(dispatch) ?? ((): void => {});
  return {
    subscribe(onChange) {
      listeners.add(onChange);
      return () => void listeners.delete(onChange);
    },
    getSnapshot: () => snapshot,
    get: (runId) => runs.get(runId),
    getHealth: () => health,
    dispatch,
    close,
  };
}

const ofSandbox: Readonly<Record<SandboxEvent['type'], true>> = {
  'sandbox.not_ready': true,
  'sandbox.ready': true,
  'sandbox.unconfined': true,
  'sandbox.confined': true,
};

function isOfSandbox(event: CardEvent): event is SandboxEvent {
  return Object.hasOwn(ofSandbox, event.type);
}

type RunEvent = Extract<CardEvent, { runId: string }>;

/** The run after the event. Events after its record change nothing, because the record is complete. */
function next(before: Run | undefined, event: RunEvent): Run | undefined {
  if (event.type === 'card.answered') return event.record;
  if (before !== undefined && !isLive(before)) return before;
  const run: LiveRun = before ?? { runId: event.runId, status: 'running', at: event.at };
  switch (event.type) {
    case 'card.called': {
      const { script, description } = event;
      return { ...run, script, ...(description !== undefined && { description }) };
    }
    case 'sandbox.script.asked': {
      const { hostFunction } = event;
      return { ...run, status: 'waiting', ...(hostFunction !== undefined && { hostFunction }) };
    }
    case 'sandbox.script.run':
      return { ...running(run), begun: true };
    case 'sandbox.script.denied':
      // A host function that was not allowed does not end the run.
      return event.hostFunction === undefined ? { ...run, status: 'denied' } : running(run);
    case 'sandbox.script.completed':
      return { ...ended(run, 'success', event.durationMs), bytesRead: event.bytesRead };
    case 'sandbox.script.failed':
      return ended(run, statusOfError(event.code), event.durationMs);
    case 'sandbox.script.timeout':
      return ended(run, 'timeout', event.durationMs);
    case 'sandbox.script.crashed':
      return ended(run, 'crashed', event.durationMs);
    case 'sandbox.script.truncated':
      return before;
  }
}

function running(run: LiveRun): LiveRun {
  const { hostFunction: _, ...rest } = run;
  return { ...rest, status: 'running' };
}

function ended(run: LiveRun, status: RunStatus, durationMs: number): LiveRun {
  return { ...running(run), status, durationMs };
}
