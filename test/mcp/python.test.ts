import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { openHttp } from './http/support.ts';
import { main, makeFolder } from './support.ts';

const run = promisify(execFile);
const client = fileURLToPath(new URL('fixtures/python/client.py', import.meta.url));
/** With the SDK: `python3 -m venv .venv && .venv/bin/pip install -r requirements.txt`. */
const python = fileURLToPath(new URL('fixtures/python/.venv/bin/python', import.meta.url));

async function connect(...args: string[]): Promise<Record<string, unknown>> {
  const { stdout } = await run(python, [client, ...args]);
  return JSON.parse(stdout) as Record<string, unknown>;
}

const modes = [
  { mode: 'auto', revision: '2026-07-28' },
  { mode: 'legacy', revision: '2025-11-25' },
];

describe.skipIf(!existsSync(python)).each(modes)('the official client in Python, $revision', ({ mode, revision }) => {
  it('lists, reads, is asked and calls over stdio', async () => {
    const folder = makeFolder({ 'notes.txt': 'kept' });
    const server = [process.execPath, main, 'mcp', '--root', folder, '--attach', `notes=${folder}/notes.txt`];
    expect(await connect(mode, ...server)).toEqual({
      revision,
      tools: ['execute_sandbox_script'],
      resources: ['mustard-sandbox:///functions.d.ts', 'attachments:///notes'],
      prompts: expect.any(Number),
      last: 'kept',
      value: 42,
      failed: true,
      asked: [expect.stringContaining('6 * 7'), expect.stringContaining('nothing.at.all')],
    });
  });

  it('does the same over HTTP', async () => {
    await using stage = await openHttp({ consent: 'ask' });
    expect(await connect(mode, stage.server.url)).toMatchObject({
      revision,
      tools: expect.arrayContaining(['execute_sandbox_script', 'upload_file']),
      last: expect.stringContaining('declare function read_file'),
      value: 42,
      failed: true,
      asked: [expect.stringContaining('6 * 7'), expect.stringContaining('nothing.at.all')],
    });
  });
});
