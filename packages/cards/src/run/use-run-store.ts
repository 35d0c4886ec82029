import { useCallback, useSyncExternalStore } from 'react';
import type { Run } from './run.ts';
import type { RunStore } from './run-store.ts';
import type { SandboxHealth } from './sandbox-health.ts';

/** All runs of the store. The component renders again when one of them changes. */
export function useRuns(store: RunStore): readonly Run[] {
  return useSyncExternalStore(store.subscribe, store.getSnapshot, store.getSnapshot);
}

/** One run. The component renders again when this run changes, and not when others do. */
export function useRun(store: RunStore, runId: string): Run | undefined {
  const get = useCallback(() => store.get(runId), [store, runId]);
  return useSyncExternalStore(store.subscribe, get, get);
}

/** The state of the sandbox, for `SandboxNotice`. The component renders again when it changes. */
export function useSandboxHealth(store: RunStore): SandboxHealth {
  return useSyncExternalStore(store.subscribe, store.getHealth, store.getHealth);
}
