export { startWorker, type FleetWorker, type WorkerStats } from './worker/worker.ts';
export type { WorkerOptions } from './worker/options.ts';
export { serveOperators } from './worker/operate.ts';
export type { Ending } from './worker/perform.ts';
