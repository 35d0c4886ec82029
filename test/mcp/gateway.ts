import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ElicitResult } from '@modelcontextprotocol/client';
import { onTestFinished, vi } from 'vitest';
import { cliInProcess as cli } from '../cli/in-process.ts';
import { makeFolder } from './support.ts';

const notesServer = fileURLToPath(new URL('fixtures/notes-server.mjs', import.meta.url));
/** A script that asks before it adds a note. */
export const add = `const before = await notes.count();
const made = await notes.add({ text: 'one' });
made.lines`;

export interface Gateway {
  file: string;
  /** What was written down. */
  notes: () => string[];
  go: () => void;
}

/** A `servers.json` and a state folder for one test. */
export function gateway(more: object = {}, ofServer: object = {}): Gateway {
  const folder = makeFolder({ 'state/': '' });
  const notes = join(folder, 'notes.txt');
  vi.stubEnv('XDG_STATE_HOME', join(folder, 'state'));
  onTestFinished(() => void vi.unstubAllEnvs());
  const server = { command: process.execPath, args: [notesServer], env: { NOTES: notes }, ...ofServer };
  const file = join(folder, 'servers.json');
  writeFileSync(file, JSON.stringify({ mcpServers: { notes: server }, ...more }));
  return {
    file,
    notes: () => (existsSync(notes) ? readFileSync(notes, 'utf8').trim().split('\n') : []),
    go: () => writeFileSync(`${notes}.GO`, ''),
  };
}

export const says = (decision: string): ElicitResult => ({ action: 'accept', content: { decision } });

export async function onlyRun(): Promise<string> {
  const { stdout } = await cli(['runs', 'list', '--json']);
  const { runs } = JSON.parse(stdout) as { runs: { id: string }[] };
  return runs[0]?.id ?? 'none yet';
}
