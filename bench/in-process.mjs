// The same engine adapter and file capabilities as in the sidecar, without the sidecar around them.
import { readFileSync } from 'node:fs';
import { limitsSchema, scopeSchema } from '@mustard-sandbox/daemon/protocol';
import { loadBinding } from '../packages/sandbox-daemon/dist/engine/binding.js';
import { Engine } from '../packages/sandbox-daemon/dist/engine/engine.js';
import { runScript } from '../packages/sandbox-daemon/dist/server/run.js';

const engine = new Engine(loadBinding());
const noWatchdog = { arm() {}, disarm() {} };
const { signal } = new AbortController();

/** Runs a script in this process. `params` as in `sandbox/run`, defaults filled in. */
export function runInProcess(params) {
  return runScript(params, { engine, watchdog: noWatchdog, signal, console() {}, callHost: undefined });
}

export function runParams(script, scope = {}, limits = {}) {
  return {
    runId: 'bench',
    script,
    scope: scopeSchema.parse(scope),
    limits: limitsSchema.parse(limits),
    hostCapabilities: [],
  };
}

/** The main job as a Node program would do it, reading the file in pieces of 1 MiB as the script does. */
export async function topErrorsInNode(path) {
  const { open } = await import('node:fs/promises');
  const counts = new Map();
  const file = await open(path);
  const buffer = Buffer.alloc(1024 * 1024);
  let rest = '';
  for (let position = 0; ;) {
    const { bytesRead } = await file.read(buffer, 0, buffer.length, position);
    if (bytesRead === 0) break;
    position += bytesRead;
    const lines = (rest + buffer.latin1Slice(0, bytesRead)).split('\n');
    rest = lines.pop();
    for (const line of lines) {
      const code = / ERROR (E\d+)/.exec(line)?.[1];
      if (code !== undefined) counts.set(code, (counts.get(code) ?? 0) + 1);
    }
  }
  await file.close();
  return [...counts].toSorted((a, b) => b[1] - a[1]).slice(0, 5);
}

export const readScript = (name) => readFileSync(new URL(`../examples/${name}`, import.meta.url), 'utf8');
