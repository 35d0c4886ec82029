// What comes between: a person who stops or reloads, a program that is killed, a sidecar that dies.
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { createClient } from '@libsql/client';
import { describe, expect, test, vi } from 'vitest';
import { hasChromium } from '../../browser.ts';
import { AgentProcess, projectWith, reload, run, say, useStage } from './stage.ts';

describe.skipIf(!hasChromium)('an answer', () => {
  const stage = useStage();

  test('that is stopped keeps what came until then, and its model is told', async () => {
    const agent = await AgentProcess.start(stage);
    const { page, chat } = await agent.open(projectWith({ 'a.txt': 'a\n' }), 'ask');
    const gone = stage.model.gone;
    stage.model.reply([{ text: 'The first words.' }, 'hang']);
    await say(page, 'Go on for ever');
    await page.getByText('The first words.').waitFor();
    await page.getByRole('button', { name: 'Stop' }).click();
    await page.getByRole('article', { name: 'Agent' }).getByText('You stopped this answer.').waitFor();
    await vi.waitUntil(() => stage.model.gone === gone + 1, { timeout: 120_000 });
    await reload(page);
    await page.getByText('The first words.').waitFor();
    const { messages } = await agent.wire.ask('get-chat', { chatId: chat.id });
    expect(messages.map(({ state }) => state)).toEqual(['complete', 'cancelled']);
    stage.model.reply([{ text: 'Again I answer.' }]);
    await say(page, 'And now?');
    await page.getByText('Again I answer.').waitFor();
  });

  test('goes on in a page that is loaded again, and in a second window', async () => {
    const agent = await AgentProcess.start(stage);
    const { page, appId } = await agent.open(projectWith({ 'a.txt': 'a\n' }), 'ask');
    stage.model.reply([{ text: 'Before the reload, ' }, { wait: 'reloaded' }, { text: 'and after it.' }]);
    await say(page, 'Speak slowly');
    await page.getByText('Before the reload,').waitFor();
    await reload(page);
    await page.getByText('Before the reload,').waitFor();
    const second = await agent.window(appId);
    await second.getByText('Before the reload,').waitFor();
    stage.model.release('reloaded');
    for (const window of [page, second]) {
      await window.getByText('Before the reload, and after it.').waitFor();
      await window.getByRole('button', { name: 'Send' }).waitFor();
      expect(await window.getByText('Before the reload,').count()).toBe(1);
    }
  });

  test('is marked, not lost, when the program is killed, and the page finds the next one', async () => {
    const project = projectWith({ 'a.txt': 'a\n' });
    const first = await AgentProcess.start(stage);
    const { page, appId, chat } = await first.open(project, 'build');
    stage.model.reply([{ text: 'I write. <agent-write path="a.txt" description="">\nhalf of it' }, 'hang']);
    await say(page, 'Write');
    await page.getByText('I write.').waitFor();
    // It is written ten times a second.
    await expect.poll(() => partsInDatabase(first, chat.id)).toContain('I write.');
    await first.kill();
    await page.getByText('The agent is not running or cannot be reached.').first().waitFor();

    const second = await AgentProcess.start(stage, { dataDir: first.dataDir });
    const after = await second.window(appId);
    await after.getByText('I write.').waitFor();
    await after.getByText('The agent stopped during this answer').waitFor();
    expect(execFileSync('git', ['-C', project, 'status', '--porcelain'], { encoding: 'utf8' })).toBe('');
    const { messages } = await second.wire.ask('get-chat', { chatId: chat.id });
    expect(messages.map(({ state, proposal }) => [state, proposal])).toEqual([
      ['complete', null],
      ['interrupted', null],
    ]);
    stage.model.reply([{ text: 'Now whole.' }]);
    await after.getByRole('button', { name: 'Try again' }).click();
    await after.getByText('Now whole.').waitFor();
  });

  test('survives its sidecar: the script fails, the model is told, the next one runs', async () => {
    const agent = await AgentProcess.start(stage);
    const { page } = await agent.open(projectWith({ 'a.txt': 'a\n' }), 'agent');
    await agent.wire.ask('update-settings', { scripts: { enabled: true, consent: 'always', timeoutMs: 10_000 } });
    const endless = {
      call: 'execute_sandbox_script',
      args: { script: 'let n = 0; while (true) n++;' },
    };
    const short = { call: 'execute_sandbox_script', args: { script: '6 * 7' } };
    stage.model.reply([endless], [short], [{ text: 'All is well.' }]);
    const before = stage.model.requests.length;
    await say(page, 'Count');
    await agent.wire.until('chat:run', ({ event }) => (event as { type: string }).type === 'sandbox.script.run');
    // The one that is busy. A machine that gives it no second of its time lets the script run into its limit.
    const isTold = (): boolean => stage.model.requests.length > before + 1;
    await expect.poll(() => isTold() || killBusySidecar(agent.child.pid ?? 0), { timeout: 120_000 }).toBe(true);
    await page.getByText('All is well.').waitFor();
    const [, second, third] = stage.model.requests.slice(before);
    expect(second?.messages.at(-1)).toMatchObject({
      role: 'tool',
      content: expect.stringMatching(/^(?:sidecar_crashed|timeout)\b/),
    });
    expect(third?.messages.at(-1)).toMatchObject({ role: 'tool', content: '42' });
  });
});

describe('two programs', () => {
  const stage = useStage();

  test('do not share a data folder: the second shows the first', async () => {
    const first = await AgentProcess.start(stage);
    const { child, output } = run(['--data', first.dataDir, '--no-open']);
    await vi.waitUntil(() => child.exitCode !== null, { timeout: 120_000 });
    expect({ code: child.exitCode, output: output() }).toEqual({
      code: 0,
      output: expect.stringContaining(`already running at ${new URL(first.url).origin}`),
    });
  });

  test('with data of their own that write one project do not mix: one waits, and both commits are whole', async () => {
    const project = projectWith({ 'a.txt': 'a\n' });
    const agents = [await AgentProcess.start(stage), await AgentProcess.start(stage)];
    const apps = await Promise.all(agents.map((agent) => agent.wire.ask('add-app', { path: project })));
    const edits = await Promise.allSettled(
      agents.map((agent, index) =>
        agent.wire.ask('edit-app-file', {
          appId: apps[index]?.id ?? '',
          path: `${index}.txt`,
          content: `${index}\n`,
          hash: null,
        }),
      ),
    );
    const done = edits.filter(({ status }) => status === 'fulfilled').length;
    // The other is told that somebody is at it.
    for (const edit of edits) if (edit.status === 'rejected') expect(edit.reason).toMatchObject({ code: 'busy' });
    const log = execFileSync('git', ['-C', project, 'log', '--format=%s'], { encoding: 'utf8' }).trim().split('\n');
    expect(log.length).toBe(1 + done);
    expect(done).toBeGreaterThan(0);
    expect(execFileSync('git', ['-C', project, 'status', '--porcelain'], { encoding: 'utf8' })).toBe('');
  });
});

async function partsInDatabase({ dataDir }: AgentProcess, chatId: string): Promise<string> {
  const database = createClient({ url: `file:${join(dataDir, 'agent.db')}` });
  const args = [chatId];
  const { rows } = await database.execute({ sql: 'SELECT parts FROM messages WHERE chat_id = ?', args });
  database.close();
  return JSON.stringify(rows.map(({ parts }) => parts));
}

/** Kills the sidecar below a process that has used a second of a processor. @returns whether there was one */
function killBusySidecar(pid: number): boolean {
  const text = execFileSync('ps', ['-eo', 'pid=,ppid=,cputimes=,args='], { encoding: 'utf8' });
  const all = [...text.matchAll(/^\s*(\d+)\s+(\d+)\s+(\d+)\s+(.*)$/gm)].map(([, own, parent, seconds, args = '']) => ({
    pid: Number(own),
    parent: Number(parent),
    seconds: Number(seconds),
    args,
  }));
  const below = new Set([pid]);
  for (let size = 0; size !== below.size;) {
    size = below.size;
    for (const one of all) if (below.has(one.parent)) below.add(one.pid);
  }
  const busy = all.find(
    (one) => below.has(one.pid) && one.pid !== pid && one.seconds > 0 && /sandbox-daemon\S*main\.cjs/.test(one.args),
  );
  if (busy !== undefined) process.kill(busy.pid, 'SIGKILL');
  return busy !== undefined;
}
