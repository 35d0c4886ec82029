// A worker thread: one task at a time, one reply each.
import { parentPort } from 'node:worker_threads';
import { explain } from '../git/errors.ts';
import { tasks } from './tasks.ts';
import { failureOf, type Reply, type Request } from './wire.ts';

async function replyTo({ task, args, env }: Request): Promise<Reply> {
  try {
    // The thread began without variables, and the person's may have changed since its last task.
    for (const name of Object.keys(process.env)) delete process.env[name];
    Object.assign(process.env, env);
    const run = tasks[task] as (...given: readonly unknown[]) => unknown;
    return { value: await run(...args) };
  } catch (error) {
    return { failure: failureOf(explain(error)) };
  }
}

parentPort?.on('message', (request: Request) => {
  void (async () => {
    const reply = await replyTo(request);
    try {
      parentPort?.postMessage(reply);
    } catch (error) {
      parentPort?.postMessage({ failure: failureOf(error) } satisfies Reply);
    }
  })();
});
