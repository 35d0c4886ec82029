import { writeSync } from 'node:fs';
import { createRequire } from 'node:module';
import { workerData } from 'node:worker_threads';
import type { Binding } from '../engine/mustardscript/binding.ts';
import { overrunWords, wallFactor } from '@mustard-sandbox/protocol';
import { SharedState, type Armed, type WatchdogData } from './watchdog-state.ts';

const { shared, bindingPath, hostPid, maxResidentBytes, graceMs } = workerData as WatchdogData;
const state = new SharedState(shared);
let binding: Pick<Binding, 'cancelCancellationToken'> | undefined;

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
  if (armed !== undefined && isOver(armed, 0)) {
    if (isOver(armed, graceMs)) dieOfOverrun(generation, armed);
    if (generation !== cancelled) {
      cancelled = generation;
      cancel(generation, armed.token);
    }
  }
  const leftMs = armed === undefined ? Infinity : armed.allowedMs - armed.wallMs;
  const pollMs = armed === undefined ? idlePollMs : busyPollMs;
  state.sleep(leftMs > 0 ? Math.min(Math.max(0.1, leftMs), pollMs) : pollMs, generation);
}

/** Whether the run has used up its time and `moreMs` in addition. */
function isOver({ cpuOverMs, wallMs, allowedMs }: Armed, moreMs: number): boolean {
  if (wallMs < allowedMs + moreMs) return false;
  return cpuOverMs >= moreMs || wallMs >= wallFactor * allowedMs + moreMs;
}

function cancel(generation: number, token: string): void {
  if (token === '' || state.generation() !== generation) return;
  try {
    // Loaded here, because most sidecars never cancel. The main thread has loaded the file already.
    binding ??= createRequire(import.meta.url)(bindingPath as string) as NonNullable<typeof binding>;
    binding.cancelCancellationToken(token);
  } catch {
    // The run ended just now and released its token.
  }
}

/** Ends the process, because the main thread is inside one operation that nothing can stop. */
function dieOfOverrun(generation: number, { wallMs, allowedMs, cpuOverMs }: Armed): void {
  if (state.generation() !== generation) return;
  die(overrunWords({ wallMs: wallMs - allowedMs, cpuMs: cpuOverMs }));
}

/**
 * Ends the process when the host is gone. While the main thread computes, it does not notice the end of stdin, but an
 * orphan gets another parent.
 */
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
