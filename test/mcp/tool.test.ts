import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { installWithoutEngine } from '../cli/without-engine.ts';
import { connect, connectForAll, eras, makeFolder, textOf } from './support.ts';

const always = ['--consent', 'always'];
const endless = 'while (true) {}';

describe.each(eras)('the tool, at %s', (era) => {
  let folder: string;
  const inFolder = connectForAll(
    (onEnd) => {
      folder = makeFolder({ 'root/a.txt': 'root', 'logs/b.log': 'attached' }, onEnd);
      const log = join(folder, 'logs/b.log');
      return ['--root', join(folder, 'root'), '--attach', `today=${log}`, ...always, '--timeout', '1200ms'];
    },
    { era },
  );
  const withoutFolder = connectForAll(() => [...always, '--timeout', '10s'], { era });

  it('is the only one, with schemas and annotations', async () => {
    const { client } = await connect(['--root', makeFolder()], { era });
    const { tools } = await client.listTools();
    expect(tools).toMatchObject([
      {
        name: 'execute_sandbox_script',
        title: 'Run a script over files',
        description: expect.stringContaining('Paths are relative to the project folder'),
        inputSchema: { type: 'object', required: ['script'], additionalProperties: false },
        outputSchema: { type: 'object', required: ['status', 'stats'], additionalProperties: false },
        annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
      },
    ]);
  });

  // The client checks each structured answer against the output schema, and rejects one that does not fit.
  it('reads the folder and the attachments, and answers with text and the same structured', async () => {
    const answer = await inFolder().run(`({ root: read_file('a.txt'), attached: read_file('attachments:today') })`);
    const value = { root: 'root', attached: 'attached' };
    expect(answer).toMatchObject({
      isError: false,
      structuredContent: {
        status: 'completed',
        value,
        truncated: false,
        attachmentsRead: ['today'],
        stats: { bytesRead: 12 },
      },
    });
    expect(JSON.parse(textOf(answer))).toEqual(value);
  });

  it('says what a script did wrong in both', async () => {
    const answer = await withoutFolder().run(`throw new Error('too bad')`);
    expect(answer).toMatchObject({
      isError: true,
      structuredContent: { status: 'failed', errorCode: 'script_error', text: textOf(answer) },
    });
    expect(textOf(answer)).toContain('too bad');
  });

  it('shortens a long answer, and the next script reads the whole of it', async () => {
    const { run } = inFolder();
    const { structuredContent } = await run(`'x'.repeat(100000)`);
    expect(structuredContent).toMatchObject({ status: 'completed', truncated: true });
    expect(structuredContent).not.toHaveProperty('value');
    expect(structuredContent.text?.length).toBeLessThanOrEqual(64 * 1024);
    const next = await run(`file_stats('${String(structuredContent['fullOutput'])}').size`);
    expect(next.structuredContent.value).toBe(100_000);
  });

  it('keeps a long answer also where it has no folder to keep it in', async () => {
    const { run } = withoutFolder();
    const { structuredContent } = await run(`'x'.repeat(100000)`);
    const next = await run(`file_stats('${String(structuredContent['fullOutput'])}').size`);
    expect(next.structuredContent.value).toBe(100_000);
  });

  it('tells progress while a script runs', async () => {
    const reports: { progress: number; message?: string | undefined }[] = [];
    const answer = await inFolder().run(endless, { onprogress: (report) => void reports.push(report) });
    // By time, or by instructions on a fast machine.
    expect(answer.structuredContent).toMatchObject({ status: 'failed' });
    expect(['timeout', 'limit_exceeded']).toContain(answer.structuredContent['errorCode']);
    expect(reports.length).toBeGreaterThan(0);
    expect(reports.map(({ message }) => message)).toContain(`Running for ${reports.at(-1)?.progress} s`);
    const seconds = reports.map(({ progress }) => progress);
    expect(seconds).toEqual([...new Set(seconds)].sort((a, b) => a - b));
  });

  it('ends a run that is cancelled, and runs the next one', async () => {
    const { run, client } = withoutFolder();
    const controller = new AbortController();
    const cancelled = run(endless, {
      signal: controller.signal,
      // It has started.
      onprogress: () => controller.abort(),
    });
    await expect(cancelled).rejects.toThrow(/abort/i);
    expect((await run('1 + 1')).structuredContent.value).toBe(2);
    expect((await client.listTools()).tools).toHaveLength(1);
  });

  it('answers a thousand calls at once', async () => {
    const { run } = withoutFolder();
    const answers = await Promise.all(Array.from({ length: 1_000 }, (_, index) => run(`${index} + 1`)));
    expect(answers.map(({ structuredContent }) => structuredContent.value)).toEqual(
      answers.map((_, index) => index + 1),
    );
  });

  it('survives scripts that take their process down, one after the other and at once', async () => {
    const { run } = await connect([...always, '--engine', 'mustardscript'], { era });
    const crash = await run(`'a'.repeat(500000000).length`);
    expect(crash).toMatchObject({ isError: true, structuredContent: { errorCode: 'sidecar_crashed' } });
    expect((await run('1 + 1')).structuredContent.value).toBe(2);
    const both = await Promise.all([run(`'b'.repeat(500000001).length`), run('2 + 2')]);
    expect(both.map(({ structuredContent }) => structuredContent.status)).toEqual(['failed', 'completed']);
  });
});

const wrongArguments: [Record<string, unknown> | undefined, RegExp][] = [
  [undefined, /script: .*expected string/],
  [{}, /script: .*expected string/],
  [{ script: 5 }, /script: .*expected string/],
  [{ script: null }, /script: .*expected string/],
  [{ script: '' }, /script: is empty/],
  [{ script: '1', description: [] }, /description: .*expected string/],
  [{ script: '1', code: '1' }, /Unrecognized key: "code"/],
  [{ script: `'${'x'.repeat(40_000)}'` }, /script: is longer than 32768 bytes: read data from files/],
  [{ script: 'é'.repeat(20_000) }, /script: is longer than 32768 bytes/],
];

describe('calls that are wrong', () => {
  it.each(eras)('name a tool that is not there, at %s: invalid params', async (era) => {
    const { client } = await connect([], { era });
    await expect(client.callTool({ name: 'read_file', arguments: {} })).rejects.toMatchObject({
      code: -32602,
      message: 'There is no tool "read_file", only execute_sandbox_script.',
    });
  });

  // Results and no protocol errors, as the specification asks for since 2025-11-25: a model sees them, and writes anew.
  it('have arguments that are none of the tool', async () => {
    // One server answers all of them, which also shows that none of them ends the connection.
    const { client } = await connect(always);
    for (const [args, message] of wrongArguments) {
      const answer = await client.callTool({ name: 'execute_sandbox_script', ...(args && { arguments: args }) });
      expect(answer).toMatchObject({ isError: true, structuredContent: { errorCode: 'invalid_request' } });
      expect(textOf(answer)).toMatch(message);
      expect(textOf(answer).length).toBeLessThan(1000);
    }
  });

  it('are not shown to the user', async () => {
    const elicit = vi.fn();
    const { client } = await connect([], { elicit });
    await client.callTool({ name: 'execute_sandbox_script', arguments: { script: 5 } });
    expect(elicit).not.toHaveBeenCalled();
  });

  it('have a script of 10 MB: an answer, and the connection stays', async () => {
    const { run } = await connect(always);
    expect(textOf(await run('x'.repeat(10_000_000)))).toContain('is longer than 32768 bytes');
    expect((await run('1 + 1')).structuredContent.value).toBe(2);
  });
});

describe('a server that can run no script', () => {
  it('has no tool with --consent never, and says so', async () => {
    const { client, run } = await connect(['--root', makeFolder(), '--consent', 'never']);
    expect((await client.listTools()).tools).toEqual([]);
    expect(client.getInstructions()).toContain('--consent never');
    await expect(run('1')).rejects.toMatchObject({ code: -32602, message: expect.stringContaining('not available') });
  });

  it('has the tool also where there is no MustardScript', async () => {
    const { client, run } = await connect(always, { main: installWithoutEngine() });
    expect((await client.listTools()).tools).toHaveLength(1);
    expect((await run('1 + 1')).structuredContent.value).toBe(2);
  });
});

describe('the server', () => {
  it('names itself, and no attachments in its instructions', async () => {
    const folder = makeFolder({ 'big.log': 'x'.repeat(3000) });
    const { client } = await connect(['--attach', join(folder, 'big.log')]);
    const packageJson = readFileSync(new URL('../../packages/cli/package.json', import.meta.url), 'utf8');
    const { version } = JSON.parse(packageJson) as { version: string };
    expect(client.getServerVersion()).toMatchObject({ name: 'mustard-sandbox', version });
    // Nothing that a file is called: a repository could write into every prompt.
    expect(client.getInstructions()).toMatch(/^execute_sandbox_script runs .+\.$/);
    expect(client.getInstructions()).not.toContain('big.log');
  });
});
