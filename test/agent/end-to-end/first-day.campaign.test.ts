// A person's first day: from an empty folder to an app that runs in the preview and is committed, by pointer and keyboard.
// AGENT_RECORDING=FOLDER keeps a picture of each step there.
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { describe, expect, onTestFinished, test } from 'vitest';
import { hasChromium } from '../../browser.ts';
import { state, subjects } from '../changes/apps.ts';
import { AgentProcess, say, scratchFolder, useStage } from './stage.ts';

const write = (path: string, content: string): string =>
  `<agent-write path="${path}" description="For the shop">\n${content}</agent-write>\n`;
const summary = (text: string): string => `<agent-chat-summary>${text}</agent-chat-summary>`;
const pageOf = (heading: string): string => `<!doctype html>\n<title>Shop</title>\n<h1>${heading}</h1>\n`;

/** A service that serves its page, on a port that is free. */
const service = `import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';

createServer(async (request, response) => {
  response.writeHead(200, { 'content-type': 'text/html' });
  response.end(await readFile('src/index.html'));
}).listen(0, '127.0.0.1', function () {
  console.log('http://127.0.0.1:' + this.address().port);
});
`;

/** A picture of each step, in order, where somebody wants to see them. */
function recorder(page: Page): (name: string) => Promise<void> {
  const folder = process.env['AGENT_RECORDING'];
  let step = 0;
  return async (name) => {
    step += 1;
    if (folder !== undefined)
      await page.screenshot({ path: join(folder, `${String(step).padStart(2, '0')}-${name}.png`) });
  };
}

describe.skipIf(!hasChromium)('the first day', () => {
  const stage = useStage();

  const opened = async (agent: AgentProcess): Promise<Page> => {
    const context = await stage.browser.newContext({ viewport: { width: 1280, height: 800 } });
    onTestFinished(() => context.close());
    const page = await context.newPage();
    page.on('pageerror', (error) => stage.problems.push(String(error)));
    await page.goto(agent.url);
    return page;
  };
  const approve = async (page: Page, applied: number): Promise<void> => {
    await page.getByRole('region', { name: 'Proposed changes' }).getByRole('button', { name: 'Approve' }).click();
    await expect.poll(() => page.getByRole('region', { name: 'Applied' }).count()).toBe(applied);
  };

  test('from an empty folder to an app that runs, is changed and committed, in less than ten turns of the model', async () => {
    const parent = scratchFolder();
    const agent = await AgentProcess.start(stage);
    const page = await opened(agent);
    const record = recorder(page);

    await page.getByRole('heading', { name: 'Mustard agent' }).waitFor();
    await record('opening');
    await page.getByRole('button', { name: 'New app' }).click();
    const dialog = page.getByRole('dialog', { name: 'New app' });
    await dialog.getByRole('radio', { name: /Service/ }).check();
    await dialog.getByLabel('Name', { exact: true }).fill('shop');
    await dialog.getByRole('textbox', { name: 'Folder', exact: true }).fill(parent);
    await dialog.getByRole('button', { name: 'Go' }).click();
    await record('new-app');
    await dialog.getByRole('button', { name: 'Create app' }).click();
    await page.getByText('What would you like to do in shop?').waitFor();
    await record('empty-chat');

    stage.model.reply([
      { text: 'I serve a page that greets visitors.\n' },
      { text: write('src/main.js', service) + write('src/index.html', pageOf('Welcome to the shop')) },
      { text: summary('Serve a page') },
    ]);
    // The first choice makes the chat that it is for.
    await page.getByRole('radio', { name: 'Build' }).click();
    await expect.poll(() => page.getByRole('radio', { name: 'Build' }).isChecked()).toBe(true);
    await say(page, 'Greet visitors on a page');
    await page.getByRole('region', { name: 'Proposed changes' }).waitFor();
    await page.getByRole('button', { name: 'Review changes' }).click();
    await page.locator('.ma-diff-line').first().waitFor();
    await record('proposal');
    await approve(page, 1);
    await record('applied');

    await page.getByRole('tab', { name: 'Preview' }).click();
    await page.getByRole('button', { name: 'Start the app' }).click();
    const question = page.getByRole('dialog', { name: 'Start this app?' });
    await question.getByText('node --watch src/main.js').waitFor();
    await page.locator('[role=dialog] button:not([aria-disabled=true])').first().waitFor();
    await record('question');
    await question.getByRole('button', { name: 'Start once' }).click();
    const app = page.frameLocator('iframe');
    await app.getByRole('heading', { name: 'Welcome to the shop' }).waitFor();
    await record('preview');

    const refresh = '<agent-command type="refresh"></agent-command>\n';
    stage.model.reply([
      { text: write('src/index.html', pageOf('Open today')) + refresh + summary('Say when it is open') },
    ]);
    await say(page, 'Say that it is open today');
    await page.getByRole('region', { name: 'Proposed changes' }).waitFor();
    await approve(page, 2);
    await app.getByRole('heading', { name: 'Open today' }).waitFor();
    await record('changed');

    await page.getByRole('tab', { name: 'Versions' }).click();
    await page.getByText('Say when it is open').last().waitFor();
    await record('versions');
    const project = join(parent, 'shop');
    const [last, first, template] = subjects(project);
    expect([last, first]).toEqual([
      expect.stringMatching(/^\[agent\] Say when it is open - /),
      expect.stringMatching(/^\[agent\] Serve a page - /),
    ]);
    expect(template).toBeDefined();
    expect(state(project).status).toBe('');
    expect(stage.model.requests.length).toBeLessThan(10);
    expect(stage.problems).toEqual([]);

    await page.getByRole('tab', { name: 'Preview' }).click();
    await page.getByRole('button', { name: 'Stop the app' }).click();
    await page.getByText('The app is not running').waitFor();
  }, 240_000);
});
