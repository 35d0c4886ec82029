import { setTimeout as sleep } from 'node:timers/promises';
import { connectSandbox } from '@mustard-sandbox/remote';

/** What a kill may come into. */
export const phases = ['upload', 'run', 'host call', 'artifact', 'any'];

const script = `
began(id);
let sum = 0;
for (const line of read_file('attachments:a', { length: 200000 }).split('\\n')) sum += line.length;
slow(id);
[file_stats('attachments:a').size, 'x'.repeat(1500000)]`;

/**
 * Runs at the same time, of which each uploads the same file, calls the host and leaves an artifact.
 *
 * @param {{ url: string, token: string, cacheDir: string, path: string, connectTimeoutMs?: number }} place
 * @param {{ began: (id: string) => void, reached: (phase: string) => void }} tell
 */
export async function play({ connectTimeoutMs = 1_000, path, ...place }, { began, reached }) {
  const onUpload = () => reached('upload');
  const sandbox = connectSandbox({ ...place, connectTimeoutMs, inlineBytes: 0, onUpload });
  sandbox.on('run_started', () => reached('run'));
  // Right before its result is fetched.
  sandbox.on('run_settled', () => reached('artifact'));
  const slow = async () => {
    reached('host call');
    await sleep(30);
    return 1;
  };
  const runs = Array.from({ length: 4 }, (_, n) =>
    sandbox.run({
      script,
      inputs: { id: `${path}#${n}` },
      hostFunctions: { began: (id) => began(/** @type {string} */ (id)), slow },
      scope: { attachments: [{ name: 'a', path }] },
      // It takes a moment, but not on a machine that others keep busy.
      limits: { timeoutMs: 10_000 },
    }),
  );
  const outcomes = await Promise.allSettled(runs);
  await sandbox.close();
  return outcomes.map((one) => (one.status === 'fulfilled' ? 'ok' : one.reason?.code));
}
