import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { request } from 'node:http';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { randomBytes } from 'node:crypto';
import { connectSandbox } from '@mustard-sandbox/remote';
import { openPlainServer, openRemoteServer } from '../baselines/remote-server.mjs';
import { sideBySide, summaries } from '../measure.mjs';
import { ratioOf } from '../statistics.mjs';
import { using } from './sandboxes.mjs';

const MiB = 1024 * 1024;

/** A file that the server has not got, against a body of the same size that a server writes to disk and does not look at. */
export async function measure({ quick, folder }) {
  const size = (quick ? 128 : 1024) * MiB;
  const path = join(folder, 'file');
  // One upload at a time fits, so that it is written to memory that was used before, as the copy is. Memory that nobody
  // has used since a virtual machine began has to be had from its host, which took the server 0.4 s for each 256 MB.
  const server = await openRemoteServer({ store: join(folder, 'store'), storeBytes: size + MiB });
  const plain = await openPlainServer(join(folder, 'copy'));
  const remote = connectSandbox({ url: server.url, cacheDir: join(folder, 'cache') });
  const run = { script: `file_stats('attachments:a').size`, scope: { attachments: [{ name: 'a', path }] } };
  await remote.warm();
  return await using({ remote, server, plain }, async () => {
    const samples = await sideBySide(
      {
        'upload and a run': { run: () => remote.run(run), before: () => write(path, size) },
        'plain copy': () => copy(path, plain.url),
      },
      { rounds: quick ? 3 : 5, warmup: 1, budgetMs: quick ? 4_000 : 60_000 },
    );
    return {
      ratios: { 'remote-upload': ratioOf(samples['upload and a run'], [samples['plain copy']]) },
      timings: summaries(samples),
    };
  });
}

/** New content each time: what the server has is not sent again. */
async function write(path, size) {
  const file = await open(path, 'w');
  const block = randomBytes(16 * MiB);
  for (let at = 0; at < size; at += block.length) await file.write(block, 0, Math.min(block.length, size - at), at);
  await file.close();
}

async function copy(path, url) {
  const asked = request(url, { method: 'PUT' });
  const answered = new Promise((resolve, reject) => asked.on('response', resolve).on('error', reject));
  await pipeline(createReadStream(path, { highWaterMark: MiB }), asked);
  const response = await answered;
  for await (const _ of response);
}
