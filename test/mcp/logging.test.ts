import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { atServer } from '../cli/in-process.ts';
import { connect, makeFolder } from './support.ts';

const always = ['--consent', 'always'];

describe('log messages', () => {
  it('tell what a script did, and nothing of what it read or said', async () => {
    const folder = makeFolder({ 'secret.txt': 'swordfish' });
    const { run, logs } = await connect(['--attach', join(folder, 'secret.txt'), ...always]);
    await run(`const password = 'hunter2'; read_file('attachments:secret.txt') + password`);
    await run(`throw new Error(read_file('attachments:secret.txt'))`);
    await vi.waitFor(() => expect(logs).toHaveLength(4));
    expect(logs.map(({ level, data }) => [level, data['type']])).toEqual([
      ['debug', 'sandbox.script.run'],
      ['info', 'sandbox.script.completed'],
      ['debug', 'sandbox.script.run'],
      ['warning', 'sandbox.script.failed'],
    ]);
    expect(JSON.stringify(logs)).not.toMatch(/swordfish|hunter2/);
  });

  it('are those of the level that the client has set', async () => {
    const { client, run, logs } = await connect([...always, ...(await atServer())]);
    await client.setLoggingLevel('warning');
    await run('1');
    await run('throw 1');
    await run('2');
    await client.setLoggingLevel('debug');
    await run('3');
    await vi.waitFor(() => expect(logs.at(-1)?.data['type']).toBe('sandbox.script.completed'));
    expect(logs.map(({ level }) => level)).toEqual(['warning', 'debug', 'info']);
  });

  it('name a crash as an error, and a refusal as a notice', async () => {
    const { run, logs } = await connect(await atServer(), { elicit: () => ({ action: 'decline' }) });
    await run('1');
    const refusal = { level: 'notice', data: expect.objectContaining({ reason: 'declined' }) };
    await vi.waitFor(() => expect(logs).toContainEqual(expect.objectContaining(refusal)));
    const other = await connect([...always, '--engine', 'mustardscript']);
    await other.run(`'a'.repeat(500000000).length`);
    const crash = { level: 'error', data: expect.objectContaining({ type: 'sandbox.script.crashed' }) };
    await vi.waitFor(() => expect(other.logs).toContainEqual(expect.objectContaining(crash)));
  });

  it('come at 2026-07-28 only to a request that asks for them', async () => {
    const { client, run, logs } = await connect([...always, ...(await atServer())], { era: '2026-07-28' });
    await run('1');
    const _meta = { 'io.modelcontextprotocol/logLevel': 'info' };
    await client.callTool({ name: 'execute_sandbox_script', arguments: { script: '2' }, _meta });
    await vi.waitFor(() => expect(logs).toMatchObject([{ level: 'info' }]));
  });
});
