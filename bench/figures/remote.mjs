import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { connectSandbox } from '@mustard-sandbox/remote';
import { openRawEcho } from '../baselines/raw-pipe.mjs';
import { openRemoteServer } from '../baselines/remote-server.mjs';
import { sideBySide, summaries } from '../measure.mjs';
import { median, ratioOf } from '../statistics.mjs';
import { oneSidecar, using } from './sandboxes.mjs';

const trivial = { script: '1 + 1' };
const work = `
const counts = {};
for (const line of read_file('attachments:log').split('\\n')) {
  const level = line.split(' ')[1];
  counts[level] = (counts[level] ?? 0) + 1;
}
counts`;

/** A server on the same machine, whose files are used in place, against a sandbox of the host's own. */
export async function measure({ quick, folder }) {
  const files = join(folder, 'files');
  await mkdir(files);
  const path = join(files, 'server.log');
  await writeFile(path, '12:00:01 ERROR E42 failed\n12:00:02 INFO ok\n'.repeat(5_000));
  const read = { script: work, scope: { attachments: [{ name: 'log', path }] } };
  const server = await openRemoteServer({ store: join(folder, 'store'), roots: [files] });
  const cacheDir = join(folder, 'cache');
  const remote = connectSandbox({ url: server.url, cacheDir });
  const near = await openRemoteServer({ store: join(folder, 'near'), listen: `unix:${join(folder, 'socket')}` });
  const unix = connectSandbox({ url: near.url, cacheDir });
  const [echo, relay] = [openRawEcho(), openRawEcho('relay')];
  const all = { remote, unix, local: oneSidecar({ roots: [files] }), server, near, echo, relay };
  return await using(all, async ({ remote, unix, local, echo, relay }) => {
    const rounds = { warmup: 100, budgetMs: quick ? 2_000 : 15_000 };
    const small = await sideBySide(
      {
        'remote 1 + 1': () => remote.run(trivial),
        'remote 1 + 1, over a Unix socket': () => unix.run(trivial),
        'local 1 + 1': () => local.run(trivial),
        // What no server can save: one more process is woken on the way there, and one on the way back.
        'echo of a child': () => echo.echo(),
        'echo through one process more': () => relay.echo(),
      },
      { rounds: quick ? 1_000 : 5_000, ...rounds },
    );
    const large = await sideBySide(
      { 'remote, 10,000 lines in place': () => remote.run(read), 'local, 10,000 lines': () => local.run(read) },
      { rounds: quick ? 20 : 200, ...rounds, warmup: 5 },
    );
    return {
      ratios: {
        'remote-run': ratioOf(large['remote, 10,000 lines in place'], [large['local, 10,000 lines']]),
        'remote-trivial': ratioOf(small['remote 1 + 1'], [small['local 1 + 1']]),
        'remote-ms': { value: median(small['remote 1 + 1']) },
      },
      timings: summaries({ ...small, ...large }),
    };
  });
}
