import { WorkerPool, type WorkOptions } from './pool.ts';
import type { TaskName, Tasks } from './tasks.ts';

export type { WorkOptions } from './pool.ts';

/** The one pool of the program. Its threads start with the first tasks. */
const pool = new WorkerPool();

/**
 * Runs a task in a worker thread, so that this thread can go on answering.
 *
 * @throws {AgentError} what the task throws; `limit_exceeded` when it takes too long or too much memory. After an abort it
 *   throws the reason of `options.signal`
 */
export async function inWorker<Name extends TaskName>(
  task: Name,
  args: Parameters<Tasks[Name]>,
  options: WorkOptions = {},
): Promise<Awaited<ReturnType<Tasks[Name]>>> {
  return (await pool.run(task, args, options)) as Awaited<ReturnType<Tasks[Name]>>;
}

/** Ends the threads and the tasks that run in them. The next task starts a new thread. */
export async function endWorkers(): Promise<void> {
  await pool.end();
}
