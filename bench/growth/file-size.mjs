import { execFile } from 'node:child_process';
import { open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { oneSidecar, using } from '../figures/sandboxes.mjs';
import { topErrors } from '../peers/jobs.mjs';
import { residentBytes } from '../resident.mjs';
import { summarize } from '../statistics.mjs';

const MiB = 1024 * 1024;
const run = promisify(execFile);
const nodeProgram = fileURLToPath(new URL('../peers/node-program.mjs', import.meta.url));
const limits = { timeoutMs: 60_000, instructions: 2_000e6, allocations: 5e6 };

/**
 * The main job on files of up to 1 GB: what it takes, and what it holds in memory meanwhile.
 *
 * @param {import('./index.mjs').Setting} setting
 * @returns {Promise<import('./index.mjs').Growth[]>}
 */
export async function measure({ quick, log, folder, progress }) {
  const sizes = quick ? [1, 4, 16] : [1, 4, 16, 64, 256, 1024];
  const path = join(folder, 'growing.log');
  const times = [];
  const memory = [];
  await using({ sandbox: oneSidecar({ maxTimeoutMs: 60_000 }) }, async ({ sandbox }) => {
    await sandbox.run({ script: '1 + 1' });
    for (const size of sizes) {
      progress(`${size} MiB`);
      await grow(path, size * MiB, log);
      const row = await measureSize(sandbox, path, size);
      times.push({ x: size * MiB, values: row.times });
      memory.push({ x: size * MiB, values: row.memory });
    }
  });
  await rm(path);
  const axis = /** @type {const} */ ({ x: 'bytes of file', xUnit: 'bytes' });
  const job = 'Top five errors of a log, by the size of the file';
  /** @type {import('./index.mjs').Growth} */
  const time = { name: 'growth-file-size', title: job, ...axis, y: 'time of a run', unit: 'ms', rows: times };
  if (residentBytes(process.pid) === undefined) return [time];
  const title = 'The most memory held during that run, by the size of the file';
  return [time, { name: 'growth-memory', title, ...axis, y: 'resident memory', unit: 'bytes', rows: memory }];
}

async function measureSize(sandbox, path, size) {
  const { script } = topErrors(path);
  const scope = { attachments: [{ name: 'server.log', path }], maxTotalReadBytes: 2048 * MiB };
  /** @type {Record<'sidecar' | 'node' | 'hostBytes' | 'sidecarBytes', number[]>} */
  const samples = { sidecar: [], node: [], hostBytes: [], sidecarBytes: [] };
  const [{ pid }] = sandbox.stats().processes;
  const rounds = Math.max(3, Math.min(15, Math.round(256 / size)));
  for (let round = -1; round < rounds; round++) {
    const scales = watch([process.pid, pid]);
    const startedAt = performance.now();
    await sandbox.run({ script, scope, limits });
    const ms = performance.now() - startedAt;
    const [hostBytes, sidecarBytes] = scales.stop();
    const node = await timeInNode(path);
    if (round < 0) continue;
    samples.sidecar.push(ms);
    samples.node.push(node);
    samples.hostBytes.push(hostBytes);
    samples.sidecarBytes.push(sidecarBytes);
  }
  return {
    times: { sidecar: summarize(samples.sidecar), 'plain Node program': summarize(samples.node) },
    memory: { host: summarize(samples.hostBytes), sidecar: summarize(samples.sidecarBytes) },
  };
}

/** The most that each process holds until `stop`. */
function watch(pids) {
  const most = pids.map(() => 0);
  const look = () => pids.forEach((pid, index) => (most[index] = Math.max(most[index], residentBytes(pid) ?? 0)));
  const timer = setInterval(look, 20);
  return {
    stop() {
      clearInterval(timer);
      look();
      return most;
    },
  };
}

/** In a process of its own, because the memory of this one is looked at; its start is not counted. */
async function timeInNode(path) {
  const { stdout } = await run(process.execPath, [nodeProgram, path]);
  return Number(stdout);
}

/** Grows the file by the lines of the log: real bytes, and one large file on the disk instead of several. */
async function grow(path, bytes, log) {
  const lines = await open(log);
  const file = await open(path, 'a');
  const piece = Buffer.alloc(MiB);
  try {
    let { size } = await file.stat();
    while (size < bytes) {
      const { size: all } = await lines.stat();
      const { bytesRead } = await lines.read(piece, 0, Math.min(MiB, bytes - size), size % all);
      await file.write(piece, 0, bytesRead);
      size += bytesRead;
    }
  } finally {
    await file.close();
    await lines.close();
  }
}
