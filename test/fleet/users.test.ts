import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createExecuteSandboxScriptTool } from '@mustard-sandbox/agent-tool';
import { createCodeModeTool } from '@mustard-sandbox/code-mode';
import { createRuns, sqliteStore } from '@mustard-sandbox/runs';
import { describe, expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { connect, makeFolder } from '../mcp/support.ts';
import { noRedis } from './redis.ts';
import { Fleet, folder, key } from './support.ts';

const price = {
  inputSchema: z.object({ item: z.string() }),
  execute: ({ item }: { item: string }) => item.length * 10,
};
const order = {
  inputSchema: z.object({ total: z.number() }),
  needsApproval: ({ total }: { total: number }) => total > 50,
  execute: ({ total }: { total: number }) => `ordered for ${total}`,
};

describe.skipIf(noRedis)('what takes a sandbox takes a fleet', () => {
  test('the agent tool: files of the app, attachments, host functions and long results', async () => {
    const fleet = await Fleet.start();
    await fleet.worker();
    const app = makeFolder({ 'src/a.txt': 'in the app', '.env': 'canary' });
    const tool = createExecuteSandboxScriptTool({
      sandbox: fleet.client({ uploadDirectories: true }),
      appPath: app,
      settings: { consent: 'always' },
      hostFunctions: {
        look_up: {
          handler: (word) => `found ${word as string}`,
          declaration: 'declare function look_up(word: string): string;',
        },
      },
    });
    const answer = await tool.execute({ script: `[read_file('src/a.txt'), list_files('.'), await look_up('x')]` });
    expect(answer).toMatchObject({ status: 'completed', value: ['in the app', ['src/'], 'found x'] });
    const long = await tool.execute({ script: `Array.from({ length: 20000 }, (_, n) => 'row ' + n).join('\\n')` });
    const name = /script-output-[0-9a-f]+\.txt/.exec(long.text)?.[0] ?? '';
    // The rest of it lies at the client, and goes through the store to the script that reads it.
    const read = await tool.execute({ script: `read_file('attachments:${name}').length` });
    expect(read).toMatchObject({ status: 'completed', value: 188_889 });
  });

  test('createRuns: a run waits in its store, and another host goes on with it', async () => {
    const fleet = await Fleet.start();
    const worker = await fleet.worker();
    const store = join(folder(), 'runs.db');
    const keys = [key()];
    const open = (): ReturnType<typeof createRuns> =>
      createRuns({
        sandbox: fleet.client(),
        store: sqliteStore(store),
        keys,
        tools: [{ ...order, name: 'order', description: 'Orders.' }],
      });
    const first = open();
    const run = await first.startRun({ script: 'await order({ total: 70 })' });
    expect(run).toMatchObject({ state: 'waiting', waitsFor: ['approvals'] });
    await first.close();
    await worker.close();
    await fleet.worker();
    const second = open();
    onTestFinished(() => second.close());
    const done = await second.resume(run.id, [{ id: run.calls[0]?.id as number, approve: true }]);
    expect(done).toMatchObject({ state: 'completed', value: 'ordered for 70' });
  });

  test('code mode: a script of many calls, and one that a person allows', async () => {
    const fleet = await Fleet.start();
    await fleet.worker();
    const tool = await createCodeModeTool({
      sandbox: fleet.client(),
      store: sqliteStore(join(folder(), 'code-mode.db')),
      keys: [key()],
      tools: { price, order },
    });
    onTestFinished(() => tool.close());
    const script = `const prices = await Promise.all(['pen', 'desk'].map((item) => tools.price({ item })));
      await tools.order({ total: prices[0] + prices[1] })`;
    const waiting = await tool.execute({ script });
    if (waiting.status !== 'waiting') throw new Error(waiting.text);
    const done = await tool.resume(waiting.run, [{ id: waiting.calls[0]?.id as number, approve: true, by: 'ann' }]);
    expect(done.text).toContain('ordered for 70');
  });

  test('the MCP server of the command: --fleet, and a root with --upload-dir', async () => {
    const fleet = await Fleet.start();
    await fleet.worker();
    const place = makeFolder({ 'root/src/a.txt': 'in the folder', 'root/.env': 'SECRET=1', 'b.log': 'attached' });
    const [{ id, key: bytes }] = fleet.keys as [ReturnType<typeof key>];
    writeFileSync(join(place, 'keys'), `acme ${id} ${Buffer.from(bytes).toString('base64')}\n`, { mode: 0o600 });
    const scope = ['--root', join(place, 'root'), '--attach', `log=${join(place, 'b.log')}`, '--consent', 'always'];
    const at = ['--fleet', fleet.server.url, '--fleet-keys', join(place, 'keys'), '--fleet-files', fleet.files];
    const { run } = await connect([...scope, ...at, '--upload-dir']);
    const script = `[list_files('.'), read_file('src/a.txt'), read_file('attachments:log')]`;
    expect(await run(script)).toMatchObject({
      structuredContent: { status: 'completed', value: [['src/'], 'in the folder', 'attached'] },
    });
    const refused = await (await connect([...scope, ...at])).run('1');
    expect(JSON.stringify(refused.structuredContent)).toContain('--upload-dir');
  });
});
