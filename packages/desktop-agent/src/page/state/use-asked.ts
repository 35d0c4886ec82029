import { useCallback, useEffect, useRef, useState } from 'react';
import type { Problem } from './agent-state.ts';
import { problemOf } from './problem.ts';

/** A request to the server. The last answer stays until the next one is here. */
export interface Asked<T> {
  value: T | undefined;
  problem: Problem | undefined;
  isAsking: boolean;
  /** How many answers there were. */
  count: number;
  again: () => void;
  /** Sets a value that is already known. */
  set: (value: T) => void;
}

/** Asks at first and whenever one of `keys` changes. The answer to an older request is dropped. */
export function useAsked<T>(ask: () => Promise<T>, keys: readonly unknown[]): Asked<T> {
  const [state, setState] = useState<{ value?: T; problem?: Problem; isAsking: boolean; count: number }>({
    isAsking: true,
    count: 0,
  });
  const latest = useRef(ask);
  latest.current = ask;
  const asked = useRef(0);
  const again = useCallback(() => {
    asked.current += 1;
    const mine = asked.current;
    const isLatest = (): boolean => asked.current === mine;
    setState((before) => ({ ...before, isAsking: true }));
    latest.current().then(
      (value) => isLatest() && setState(({ count }) => ({ value, isAsking: false, count: count + 1 })),
      (error: unknown) =>
        isLatest() && setState((before) => ({ ...before, problem: problemOf(error), isAsking: false })),
    );
  }, []);
  useEffect(again, [again, ...keys]);
  const set = useCallback((value: T) => setState(({ count }) => ({ value, isAsking: false, count: count + 1 })), []);
  const { value, problem, isAsking, count } = state;
  return { value, problem, isAsking, count, again, set };
}
