import { useEffect, useRef, useState } from 'react';
import type { Problem } from '../../state/agent-state.ts';
import { problemOf } from '../../state/problem.ts';
import { useAgent, useAgentState } from '../../state/use-agent.ts';

export interface GitTask {
  /** What is done now, for a person; `undefined`: nothing. */
  doing: string | undefined;
  progress: { phase: string; percent: number } | undefined;
  problem: Problem | undefined;
  /** Runs one task at a time. Of one that fails or is cancelled, the problem is kept. */
  run: (doing: string, work: (taskId: string) => Promise<void>) => Promise<void>;
  cancel: () => void;
}

/** What takes its time and can be cancelled. It is cancelled when it is not shown any more. */
export function useGitTask(): GitTask {
  const agent = useAgent();
  const told = useAgentState((state) => state.gitProgress);
  const [state, setState] = useState<{ doing?: string; problem?: Problem }>({});
  const running = useRef<string>(undefined);
  const cancel = (): void => {
    const taskId = running.current;
    if (taskId !== undefined) void agent.call('cancel-git', { taskId }).catch(() => {});
  };
  useEffect(() => cancel, [agent]);
  const run = async (doing: string, work: (taskId: string) => Promise<void>): Promise<void> => {
    if (running.current !== undefined) return;
    const taskId = crypto.randomUUID();
    running.current = taskId;
    setState({ doing });
    try {
      await work(taskId);
      setState({});
    } catch (error) {
      const problem = problemOf(error);
      setState(problem.code === 'cancelled' ? {} : { problem });
    } finally {
      running.current = undefined;
    }
  };
  const progress = told !== undefined && told.taskId === running.current ? told : undefined;
  return { doing: state.doing, problem: state.problem, progress, run, cancel };
}
