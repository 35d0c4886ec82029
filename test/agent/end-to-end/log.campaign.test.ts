// The whole flow of a big file: a log of 80 MB, from drop to answer.
import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { makeLog } from '../../../scripts/make-log.mjs';
import { hasChromium } from '../../browser.ts';
import { AgentProcess, drop, projectWith, reload, say, scratchFolder, useStage } from './stage.ts';

const script = String.raw`// The five most frequent error codes of the whole log.
search('attachments:server.log', / ERROR (\S+)/, { by: 1, top: 5 })`;

interface Count {
  value: string;
  count: number;
}

/** Line by line, without anything of ours. */
async function countErrors(log: string): Promise<Count[]> {
  const counts = new Map<string, number>();
  for await (const line of createInterface({ input: createReadStream(log) })) {
    const code = / ERROR (\S+)/.exec(line)?.[1];
    if (code !== undefined) counts.set(code, (counts.get(code) ?? 0) + 1);
  }
  const all = [...counts].map(([value, count]) => ({ value, count }));
  return all.sort((a, b) => b.count - a.count).slice(0, 5);
}

describe.skipIf(!hasChromium)('a log of 80 MB', () => {
  const stage = useStage();

  test('is dropped, asked about, read by a script that was allowed, and answered', async () => {
    const log = join(scratchFolder(), 'server.log');
    await makeLog(log);
    const expected = await countErrors(log);
    const agent = await AgentProcess.start(stage);
    const { page } = await agent.open(projectWith({ 'README.md': '# Shop\n' }), 'agent');

    await drop(page, log);
    await page.getByText('The file stays on your disk.').waitFor();
    await page.getByText('80 MB').waitFor();

    const rows = expected.map(({ value, count }) => `| \`${value}\` | ${count.toLocaleString('en')} |`);
    const table = ['| code | times |', '| --- | ---: |', ...rows].join('\n');
    const last = `\n\n**${expected[0]?.value}** comes first. Shall I look when it began?`;
    stage.model.reply(
      [
        { text: 'I count them in the whole log.' },
        { call: 'execute_sandbox_script', args: { script, description: 'Count the errors by code' }, pieces: 5 },
      ],
      [{ text: `These are the most frequent errors:\n\n${table}` }, { text: last }],
    );
    await say(page, 'Which errors are most frequent?');
    const consent = page.getByRole('dialog', { name: 'Run this script?' });
    await consent.getByText('the attachment server.log').waitFor();
    await consent.getByRole('button', { name: 'Allow once' }).click();
    await page.getByText('comes first. Shall I look').waitFor();

    const [first, second] = stage.model.requests;
    expect(JSON.stringify(first?.messages.at(-1))).toContain('attachments:server.log (');
    expect(JSON.stringify(first?.messages)).not.toContain('/api/v1/items/');
    expect(JSON.parse(second?.messages.at(-1)?.content as string)).toEqual(expected);
    await page.getByRole('cell', { name: expected[0]?.value ?? '' }).waitFor();

    if (process.env['AGENT_PICTURE'] !== undefined) {
      const path = fileURLToPath(new URL('../../../docs/images/agent.png', import.meta.url));
      await page.screenshot({ path });
    }

    // The chat as it was, without running anything or asking the model.
    await reload(page);
    await page.getByText('comes first. Shall I look').waitFor();
    await page.getByText('Count the errors by code').waitFor();
    await page.getByText('Read 80 MB').waitFor();
    expect(stage.model.requests.length).toBe(2);
    expect(stage.problems).toEqual([]);
  });
});
