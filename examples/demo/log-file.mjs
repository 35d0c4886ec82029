import { createReadStream } from 'node:fs';
import { mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { createInterface } from 'node:readline';
import { isLogSize, makeLog } from '../../scripts/make-log.mjs';
import { createProgress } from './terminal.mjs';

/** Makes the log unless a whole one is there. Says how long it took, `undefined` when there was nothing to do. */
export async function ensureLog(path, megabytes, signal) {
  const stats = await stat(path).catch(() => undefined);
  if (stats !== undefined && isLogSize(stats.size, megabytes)) return undefined;
  await mkdir(dirname(path), { recursive: true });
  const progress = createProgress(`writing ${megabytes} MB`);
  const startedAt = performance.now();
  try {
    const onProgress = ({ written, total }) => progress.update(Math.min(1, written / total));
    await makeLog(path, { megabytes, signal, onProgress });
  } finally {
    progress.done();
  }
  return performance.now() - startedAt;
}

/** The answer once more, line by line in plain Node, to hold the sandbox's against. */
export async function countInNode(path, signal) {
  const counts = new Map();
  for await (const line of createInterface({ input: createReadStream(path, { signal }) })) {
    const [, level, code] = line.split(' ', 3);
    if (level === 'ERROR') counts.set(code, (counts.get(code) ?? 0) + 1);
  }
  return [...counts].map(([code, count]) => ({ code, count })).sort((a, b) => b.count - a.count);
}
