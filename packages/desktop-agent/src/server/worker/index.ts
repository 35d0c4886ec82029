import { WorkerPool, type WorkOptions } from './pool.ts';
import type { TaskName, Tasks } from './tasks.ts';

export type { WorkOptions } from './pool.ts';

/** Of the whole program. Its threads start with the first tasks. */
const pool = new WorkerPool();

/**
 * Runs a task in a worker thread, while this one answers.
 *
 * @throws {AgentError} what the task throws; `limit_exceeded` when it takes too long or too much memory; what
 *   `options.signal` was aborted with
 */
export async function inWorker<Name extends TaskName>(
  task: Name,
  args: Parameters<Tasks[Name]>,
  options: WorkOptions = {},
): Promise<Awaited<ReturnType<Tasks[Name]>>> {
  return (await pool.run(task, args, options)) as Awaited<ReturnType<Tasks[Name]>>;
}

/** Ends the threads, with what they are at. The next task starts another one. */
export async function endWorkers(): Promise<void> {
  await pool.end();
}
