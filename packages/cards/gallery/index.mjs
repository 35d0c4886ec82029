// npm run cards [-- --port N --megabytes N]: the gallery, with the real tool behind it, until Ctrl-C.
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { ensureLog } from '../../../examples/demo/log-file.mjs';
import { buildPage } from './build.mjs';
import { startServer } from './server/server.mjs';
import { createSession } from './server/session.mjs';

const { values } = parseArgs({
  options: {
    port: { type: 'string', default: '0' },
    megabytes: { type: 'string', default: '80' },
    dir: { type: 'string', default: join(tmpdir(), 'mustard-sandbox-cards') },
    help: { type: 'boolean', short: 'h' },
  },
});
if (values.help) {
  console.log(`Usage: npm run cards [-- OPTIONS]

Serves every component in every state, with the real tool behind it, on 127.0.0.1.

  --port N        default: any that is free
  --megabytes N   size of the demo log; default 80
  --dir FOLDER    where the log is kept; default: in the system's temporary folder`);
  process.exit();
}

const stop = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => stop.abort());

const log = resolve(values.dir, 'server.log');
const mediaDir = await mkdtemp(join(tmpdir(), 'mustard-cards-'));
let session;
let server;
try {
  await ensureLog(log, Number(values.megabytes), stop.signal);
  const example = await readFile(new URL('../../../examples/top-errors.js', import.meta.url), 'utf8');
  session = createSession({ log, mediaDir, example });
  server = await startServer(await buildPage(), session, Number(values.port));
  console.log(`Cards: ${server.url}\nCtrl-C ends it.`);
  await new Promise((done) => stop.signal.addEventListener('abort', done, { once: true }));
} catch (error) {
  if (!stop.signal.aborted) throw error;
} finally {
  await server?.close();
  await session?.close();
  await rm(mediaDir, { recursive: true, force: true });
}
