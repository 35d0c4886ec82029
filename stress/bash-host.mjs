// A host that fills workspaces, runs commands in them, resets and removes them, until it is killed.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createWorkspaces } from '@mustard-sandbox/bash-tools';

const directory = process.argv[2] ?? '';
const source = `${directory}-seed`;
mkdirSync(join(source, 'seed'), { recursive: true });
for (let n = 0; n < 40; n++) writeFileSync(join(source, 'seed', `f${n}`), 'x'.repeat(1024));

const all = await createWorkspaces({ directory });
process.stdout.write('ready\n');
const chat = async () => {
  for (;;) {
    const workspace = await all.open({ seed: { upload: { path: source } } });
    await workspace.run('setsid sleep 3333 & seq 1 200000; sleep 0.05');
    await workspace.reset();
    await (await all.open({ temporary: true })).run('nohup sleep 3333 & sleep 0.05');
  }
};
await Promise.all([chat(), chat()]);
