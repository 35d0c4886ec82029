import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { evaluate, makeFolder } from './support.ts';

const options = new URL('../../eval/options.mjs', import.meta.url).href;
const { parseOptions } = (await import(options)) as { parseOptions: (args: string[]) => unknown };

const hasPython = spawnSync('python3', ['--version']).status === 0;

test.runIf(hasPython).each([
  ['basics', 80],
  ['formats', 30],
])('each answer is the same in two ways, from the records and by Python from the files: %s', async (list, least) => {
  const { stdout, exitCode } = await evaluate('--check', '--questions', list);
  expect([stdout, exitCode]).toEqual([expect.stringMatching(/^(\d+) of \1 answers/), 0]);
  expect(Number.parseInt(stdout, 10)).toBeGreaterThanOrEqual(least);
});

test.runIf(hasPython)('what Python has no library for is not compared, and is named', async () => {
  // It is found before the library.
  const folder = makeFolder();
  writeFileSync(join(folder, 'pyarrow.py'), "raise ModuleNotFoundError('no module', name='pyarrow')");
  vi.stubEnv('PYTHONPATH', folder);
  onTestFinished(() => void vi.unstubAllEnvs());
  const { stdout, stderr, exitCode } = await evaluate('--check', '--questions', 'formats', '--only', 'parquet-');
  expect([stdout, stderr, exitCode]).toEqual([
    expect.stringContaining('0 of 0 answers'),
    expect.stringContaining('parquet-* is not compared: Python has no pyarrow.'),
    0,
  ]);
});

/** What the endpoint answers: scripts of a question, one for each time that it is asked. */
const scripts: Record<string, (string | undefined)[]> = {
  'How many lines does app.log have?': ["read_file('attachments:app.log').split('\\n').length - 1"],
  'How many requests are recorded in session.har?': [
    'nowhere()',
    "read_json('attachments:session.har', { pointer: '/log/entries', limit: 1 })",
  ],
  'How many invoices (INV-…)': [undefined],
  'How many messages are in mail.mbox?': [
    'nowhere()',
    'nowhere()',
    "(read_file('attachments:mail.mbox').match(/^From /gm) ?? []).length",
  ],
};

interface Asked {
  model: string;
  messages: { role: string; content: string }[];
  tools: { function: { name: string; description: string } }[];
}

test('a model behind an endpoint of the OpenAI kind is asked until its script ends, and judged', async () => {
  const asked: Asked[] = [];
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (part: Buffer) => (body += part.toString()));
    request.on('end', () => {
      const question = JSON.parse(body) as Asked;
      asked.push(question);
      const tries = question.messages.filter(({ role }) => role === 'tool').length;
      const found = Object.entries(scripts).find(([words]) => question.messages[1]?.content.includes(words));
      const script = found?.[1][tries];
      const call = {
        id: 'c1',
        type: 'function',
        function: { name: 'execute_sandbox_script', arguments: JSON.stringify({ script }) },
      };
      const message =
        script === undefined ? { role: 'assistant', content: '7' } : { role: 'assistant', tool_calls: [call] };
      response.end(JSON.stringify({ choices: [{ message }], usage: { total_tokens: 100 } }));
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const folder = makeFolder();
  const files = { json: join(folder, 'run.json'), page: join(folder, 'page.md') };
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/`;
  const only = ['log-lines', 'har-entries', 'pdf-invoices', 'mail-count'].flatMap((id) => ['--only', id]);
  const ended = await evaluate(
    '--model',
    'm',
    '--base-url',
    url,
    '--json',
    files.json,
    '--page',
    files.page,
    '--at-least',
    '90',
    ...only,
  );

  expect(ended.exitCode).toBe(1);
  const run = JSON.parse(readFileSync(files.json, 'utf8')) as {
    summary: object;
    outcomes: { id: string; tries: { right: boolean; cause?: string }[] }[];
  };
  const causes = Object.fromEntries(
    run.outcomes.map(({ id, tries }) => [id, tries.map(({ right, cause }) => (right ? 'right' : cause))]),
  );
  expect(causes).toEqual({
    'log-lines': ['right'],
    'har-entries': ['script_error', 'wrong value'],
    'pdf-invoices': ['no call of the tool'],
    'mail-count': ['script_error', 'script_error', 'right'],
  });
  expect(run.summary).toMatchObject({
    questions: 4,
    firstTry: 1,
    withinThree: 2,
    wrongValues: 1,
    byTool: 0,
    tokens: 700,
  });
  expect(readFileSync(files.page, 'utf8')).toContain('| har-entries | 2 | wrong value |');
  expect(ended.stdout).toContain('right at the first try: 1 of 4 (25 %)');
  expect(asked[0]).toMatchObject({ model: 'm', tools: [{ function: { name: 'execute_sandbox_script' } }] });
  // The second try sees what the first one met, and no try sees an answer.
  expect(asked.flatMap(({ messages }) => messages).find(({ role }) => role === 'tool')?.content).toContain('nowhere');
});

test('scripts that were written elsewhere are judged, from peeks without answers', async () => {
  const folder = makeFolder();
  expect((await evaluate('--peek', folder, '--only', 'log-')).exitCode).toBe(0);
  const questions = readdirSync(join(folder, 'questions'));
  expect(questions).toContain('log-lines.md');
  expect(readFileSync(join(folder, 'tool.md'), 'utf8')).toContain('read_file');
  expect(readFileSync(join(folder, 'questions/log-lines.md'), 'utf8')).toMatch(
    /attachments:app\.log \(\d+ bytes\), begins:\n2026/,
  );
  writeFileSync(join(folder, 'log-lines.js'), "read_file('attachments:app.log').split('\\n').length - 1");
  const { stdout, exitCode } = await evaluate('--scripts', folder, '--only', 'log-lines', '--only', 'log-gap');
  expect([stdout, exitCode]).toEqual([expect.stringContaining('first try: 1 of 2'), 0]);
});

test('scripts over other formats can keep files and charts, and find files by pattern', async () => {
  const folder = makeFolder();
  const scripts = {
    'latin-chart': `
      const { rows } = query("select year(Seit) y, count(*) n from t group by 1", { t: 'attachments:kunden.csv' });
      chart({ type: 'bar', data: rows, x: 'y', y: 'n' });
      Object.fromEntries(rows.map(({ y, n }) => [y, n]))`,
    'survey-keys': "save('keys.csv', ['respondent']); ['respondent']",
    'tills-closed': "find_files('tills/*.csv').length === 6 ? ['T7'] : []",
  };
  for (const [id, script] of Object.entries(scripts)) writeFileSync(join(folder, `${id}.js`), script);
  const only = Object.keys(scripts).flatMap((id) => ['--only', id]);
  const { stdout, exitCode } = await evaluate('--scripts', folder, '--questions', 'formats', ...only);
  expect([stdout, exitCode]).toEqual([expect.stringMatching(/first try: 2 of 3[^]*wrong values: 1;/), 0]);
});

test('what it is not told right it says', async () => {
  expect(await evaluate()).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('give one of') as string });
  expect(() => parseOptions(['--model', 'x'])).toThrow('go together');
  expect(() => parseOptions(['--check', '--scale', 'big'])).toThrow('--scale must be a number');
  expect(() => parseOptions(['--check', '--questions', 'hard'])).toThrow('must be one of: basics, formats');
});

test('Ctrl-C ends it without figures, which would be those of a part', async () => {
  const running = evaluate('--scripts', 'eval/blind/one.json');
  await once(running.stderr, 'data');
  running.kill('SIGINT');
  const { exitCode, stdout } = await running;
  expect([exitCode, stdout]).toEqual([130, '']);
});

test('a place without scripts is named', async () => {
  const broken = join(makeFolder(), 'broken.json');
  writeFileSync(broken, '{');
  expect(await evaluate('--scripts', broken)).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining('broken.json: it is no JSON') as string,
  });
  expect(await evaluate('--scripts', 'eval/nowhere')).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining('--scripts eval/nowhere: there is nothing of that name') as string,
  });
});
