// A client that is killed while it uploads and runs. Prints the number of each run when its script calls it.
import { writeSync } from 'node:fs';
import { connectSandbox } from '@mustard-sandbox/remote';

const [, , url = '', token, cacheDir, path] = process.argv;
const sandbox = connectSandbox({ url, token, cacheDir });
const began = (id) => void writeSync(1, `${id}\n`);
const runs = Array.from({ length: 8 }, (_, id) =>
  sandbox.run({
    // The result is an artifact, so a kill may come while it is fetched.
    script: `began(id); file_stats('attachments:a').size; 'x'.repeat(1500000)`,
    inputs: { id },
    hostFunctions: { began },
    scope: { attachments: [{ name: 'a', path }] },
  }),
);
await Promise.allSettled(runs);
await sandbox.close();
