// Scripts that call tools of real MCP servers, in a real browser, across kills of the program.
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { hasChromium } from '../../browser.ts';
import { AgentProcess, projectWith, say, scratchFolder, useStage } from './stage.ts';

const noting = fileURLToPath(new URL('fixtures/noting-server.mjs', import.meta.url));
const require = createRequire(import.meta.url);

/** The program of a server as it is published. */
function published(name: string): string {
  return join(dirname(require.resolve(`@modelcontextprotocol/server-${name}/package.json`)), 'dist/index.js');
}

const script = `const entities = [{ name: 'Ann', entityType: 'person', observations: ['likes tea'] }];
const made = await memory.create_entities({ entities });
made.entities.map(({ name }) => name)`;

describe.skipIf(!hasChromium)('a script that calls a tool that asks', () => {
  const stage = useStage();

  test('waits through a SIGKILL, its card is answered after the restart, and the tool is called exactly once', async () => {
    const folder = scratchFolder();
    const log = join(folder, 'calls.log');
    const memory = join(folder, 'memory.jsonl');
    const calls = (): string[] => (existsSync(log) ? readFileSync(log, 'utf8').trim().split('\n') : []);
    const project = projectWith({ 'a.txt': 'a\n' });
    const first = await AgentProcess.start(stage);
    const { page, appId, chat } = await first.open(project, 'agent');
    await addServer(page, {
      name: 'memory',
      args: [noting, log, published('memory')],
      env: ['MEMORY_FILE_PATH', memory],
    });

    stage.model.reply([{ text: 'I remember it.' }, { call: 'run_script', args: { script } }]);
    await say(page, 'Remember that Ann likes tea');
    await page
      .getByRole('group', { name: /memory\.create_entities/ })
      .getByText('likes tea')
      .first()
      .waitFor();
    await page.getByRole('button', { name: '1 script waiting for you' }).waitFor();
    await first.kill();
    expect(calls()).toEqual([]);

    const second = await AgentProcess.start(stage, { dataDir: first.dataDir });
    const [after, other] = [await second.window(appId), await second.window(appId)];
    for (const window of [after, other]) {
      await window.getByText('The agent stopped during this answer').waitFor();
      await window.getByRole('button', { name: '1 script waiting for you' }).waitFor();
    }
    await allow(after);
    await after.getByRole('button', { name: 'Continue the answer' }).waitFor();
    await other.getByRole('button', { name: 'Continue the answer' }).waitFor();
    expect(await after.getByRole('button', { name: /waiting for you/ }).count()).toBe(0);
    expect(calls()).toEqual(['create_entities']);
    expect(readFileSync(memory, 'utf8')).toContain('likes tea');
    const { toolRuns } = await second.wire.ask('get-chat', { chatId: chat.id });
    expect(toolRuns).toMatchObject([{ state: 'completed', record: { result: { text: '["Ann"]' } } }]);
    const again = second.wire.ask('decide-call', { runId: toolRuns[0]?.runId ?? '', call: 1, decision: 'allow' });
    await expect(again).rejects.toMatchObject({ code: 'changed' });

    const before = stage.model.requests.length;
    stage.model.reply([{ text: 'Ann is remembered.' }]);
    await after.getByRole('button', { name: 'Continue the answer' }).click();
    await after.getByText('Ann is remembered.').waitFor();
    expect(JSON.stringify(stage.model.requests[before]?.messages)).toContain('ended later. It gave: [\\"Ann\\"]');
    expect(calls()).toEqual(['create_entities']);
  }, 240_000);

  test('is answered in the list of all chats, and another answer of a past call leads another way', async () => {
    const agent = await AgentProcess.start(stage);
    const { page } = await agent.open(projectWith({ 'a.txt': 'a\n' }), 'agent');
    await addServer(page, { name: 'everything', args: [published('everything'), 'stdio'] });
    const sum = `const text = await everything.get_sum({ a: 3, b: 4 });\ntext`;
    stage.model.reply([{ call: 'run_script', args: { script: sum } }], [{ text: 'I have the sum.' }]);
    await say(page, 'Add');
    await page.getByRole('button', { name: '1 script waiting for you' }).click();
    await allow(page.getByRole('dialog', { name: 'Scripts that wait for you' }));
    await page.getByText('No script waits for you').waitFor();
    await page.keyboard.press('Escape');
    await page.getByText('I have the sum.').waitFor();
    await page.locator('.ma-tool-run .ms-card-trigger').click();
    await page.getByRole('button', { name: /everything\.get_sum/ }).click();
    await page.getByRole('button', { name: 'Change its answer' }).click();
    await page.getByRole('textbox', { name: /JSON/ }).fill('"The sum is 8"');
    await page.getByRole('button', { name: 'Fork the run' }).click();
    await page
      .getByRole('region', { name: 'Another way from call 1. The model does not see this.' })
      .getByText('The sum is 8')
      .first()
      .waitFor();
    expect(stage.problems).toEqual([]);
  }, 240_000);
});

type Place = Pick<Page, 'getByRole'>;

/** A question takes no answer before it can have been read. */
async function allow(place: Place): Promise<void> {
  const button = place.getByRole('button', { name: 'Allow', exact: true });
  await expect.poll(() => button.getAttribute('aria-disabled')).not.toBe('true');
  await button.click();
}

async function addServer(
  page: Page,
  { name, args, env }: { name: string; args: string[]; env?: [name: string, value: string] },
): Promise<void> {
  await page.keyboard.press('Control+,');
  await page.getByRole('radio', { name: 'Tools', exact: true }).check();
  await page.getByRole('button', { name: 'Add a server' }).click();
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill(name);
  await page.getByRole('textbox', { name: 'Command' }).fill(process.execPath);
  await page.getByRole('textbox', { name: 'Arguments' }).fill(args.join('\n'));
  if (env !== undefined) {
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    const variables = page.getByRole('group', { name: 'Variables' });
    await variables.getByRole('textbox', { name: 'Name' }).fill(env[0]);
    await variables.getByLabel(`Value of ${env[0]}`).fill(env[1]);
  }
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('region', { name }).getByText('Connected').waitFor();
  await page.keyboard.press('Escape');
}
