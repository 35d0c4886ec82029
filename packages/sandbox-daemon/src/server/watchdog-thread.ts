import { writeSync } from 'node:fs';
import { createRequire } from 'node:module';
import { workerData } from 'node:worker_threads';
import type { Binding } from '../engine/binding.ts';
import { SharedState, type WatchdogData } from './watchdog-state.ts';

const { shared, bindingPath, hostPid, maxResidentBytes } = workerData as WatchdogData;
const state = new SharedState(shared);
const binding =
  bindingPath === undefined
    ? undefined
    : (createRequire(import.meta.url)(bindingPath) as Pick<Binding, 'cancelCancellationToken'>);

// A script can allocate some 30 MiB in 10 ms. An idle sidecar should use no measurable processor time.
const busyPollMs = 10;
const idlePollMs = 100;
let cancelled = -1;

state.countStall();

for (;;) {
  dieWithHost();
  dieOfMemory();
  const generation = state.generation();
  const armed = state.armed(generation);
  if (armed !== undefined && generation !== cancelled && state.now() >= armed.deadline) {
    cancelled = generation;
    cancel(generation, armed.token);
  }
  const waiting = armed !== undefined && generation !== cancelled;
  const untilDeadline = waiting ? Math.max(0.1, armed.deadline - state.now()) : Infinity;
  state.sleep(Math.min(untilDeadline, armed === undefined ? idlePollMs : busyPollMs), generation);
}

function cancel(generation: number, token: string): void {
  if (state.generation() !== generation) return;
  try {
    binding?.cancelCancellationToken(token);
  } catch {
    // The run ended in this very moment and released its token.
  }
}

/** While the main thread computes, it does not notice the end of stdin. But an orphan gets another parent. */
function dieWithHost(): void {
  if (hostPid !== undefined && process.ppid !== hostPid) die(`the host process ${hostPid} is gone`);
}

function dieOfMemory(): void {
  if (maxResidentBytes === undefined) return;
  const resident = process.memoryUsage.rss();
  if (resident > maxResidentBytes) {
    die(`out of memory: ${resident} bytes resident, over the cap of ${maxResidentBytes}`);
  }
}

function die(why: string): void {
  try {
    writeSync(2, `mustard-sandbox-daemon: ${why}\n`);
  } finally {
    process.kill(process.pid, 'SIGKILL');
  }
}
