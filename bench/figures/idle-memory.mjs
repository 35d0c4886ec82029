import { spawn } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { inTurn, summaries } from '../measure.mjs';
import { residentBytes } from '../resident.mjs';
import { ratioOf } from '../statistics.mjs';
import { oneSidecar } from './sandboxes.mjs';

/** After its start a process still frees and compiles a little. */
const settleMs = 400;

/** What a process holds that waits for something to do; each measured in a fresh one. */
export async function measure({ quick }) {
  if (residentBytes(process.pid) === undefined) {
    const skipped = `no way to ask for a process's resident memory on ${process.platform}`;
    return { ratios: { 'idle-memory': { skipped } }, timings: {} };
  }
  const ways = {
    'sidecar, before its first run': (use) => withSidecar(use, false),
    'sidecar, after a run': (use) => withSidecar(use, true),
    'bare node waiting on stdin': withNode,
  };
  const weigh = (withProcess) =>
    withProcess(async (pid) => {
      await sleep(settleMs);
      return residentBytes(pid);
    });
  const samples = await inTurn(ways, weigh, { rounds: quick ? 3 : 9, warmup: 0 });
  const ratio = ratioOf(samples['sidecar, before its first run'], [samples['bare node waiting on stdin']]);
  return { ratios: { 'idle-memory': ratio }, timings: summaries(samples, 'bytes') };
}

async function withSidecar(use, afterRun) {
  const sandbox = oneSidecar();
  try {
    await sandbox.warm();
    if (afterRun) await sandbox.run({ script: '1 + 1' });
    return await use(sandbox.stats().processes[0].pid);
  } finally {
    await sandbox.close();
  }
}

async function withNode(use) {
  const subprocess = spawn(process.execPath, ['-e', 'process.stdin.resume(); process.stdout.write("ready")']);
  try {
    await new Promise((resolve) => subprocess.stdout.once('data', resolve));
    return await use(subprocess.pid);
  } finally {
    subprocess.kill();
  }
}
