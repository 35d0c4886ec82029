// node unlowered.mjs: reads a job as JSON from stdin, runs it in the engine as it is, and prints how many ms it took. A
// process of its own: what grows with the square may take an hour, and the engine cannot be stopped from its own thread.
import { readFileSync } from 'node:fs';
import { plainEngine, runInProcess, runParams } from '../peers/engine.mjs';

const { script, scope, limits } = JSON.parse(readFileSync(0, 'utf8'));
const engine = plainEngine();
const startedAt = performance.now();
await runInProcess(runParams({ script, scope, limits }), { engine });
process.stdout.write(String(performance.now() - startedAt));
