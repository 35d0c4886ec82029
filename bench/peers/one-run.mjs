// One run, for a thread or a process of its own. It is bundled before, as the sidecar is: a user would, too.
import { isMainThread, parentPort, workerData } from 'node:worker_threads';
import { runInProcess, valueOf } from './engine.mjs';

const run = async (params) => valueOf(await runInProcess(params));

if (isMainThread) process.stdout.write(JSON.stringify(await run(JSON.parse(process.argv[2]))));
else parentPort?.postMessage(await run(workerData));
