import { join } from 'node:path';
import type { ElicitResult } from '@modelcontextprotocol/client';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { atServer } from '../cli/in-process.ts';
import { connect, connectForAll, eras, makeFolder, textOf } from './support.ts';

const accept = (permission = 'Allow this script'): ElicitResult => ({ action: 'accept', content: { permission } });
const forAll = 'Allow all scripts until the server ends';

describe.each(eras)('--consent ask, at %s', (era) => {
  let folder: string;
  const elicit = vi.fn<(message: string) => ElicitResult>();
  beforeEach(() => void elicit.mockReset());
  const asking = connectForAll(
    (onEnd) => {
      folder = makeFolder({ 'a.txt': 'a' }, onEnd);
      return ['--root', folder, '--attach', join(folder, 'a.txt')];
    },
    { era, elicit },
  );

  it('shows the user the script and what it may read, and runs it once it is allowed', async () => {
    elicit.mockImplementation(() => accept());
    const { run } = asking();
    expect((await run(`read_file('attachments:a.txt')`)).structuredContent.value).toBe('a');
    expect((await run('1 + 1')).structuredContent.value).toBe(2);
    const questions = elicit.mock.calls.map(([message]) => message);
    expect(questions).toHaveLength(2);
    expect(questions[0]).toContain(`read_file('attachments:a.txt')`);
    expect(questions[0]).toContain(`May read: the folder ${folder}, a.txt (1 B)`);
  });

  it('asks no more after an answer for all scripts', async () => {
    elicit.mockImplementation(() => accept(forAll));
    const { run } = await connect(await atServer(), { era, elicit });
    for (const script of ['1', '2', '3']) expect((await run(script)).isError).toBe(false);
    expect(elicit).toHaveBeenCalledTimes(1);
  });

  it.each(['decline', 'cancel'] as const)('does not run a script on %s, and asks for the next one', async (action) => {
    elicit.mockReturnValueOnce({ action }).mockReturnValueOnce(accept());
    const { run, client } = asking();
    const answer = await run('1');
    expect(answer).toMatchObject({ isError: true, structuredContent: { status: 'denied', reason: 'declined' } });
    expect(textOf(answer)).toContain('the user declined');
    expect((await run('2')).structuredContent.value).toBe(2);
    expect((await client.listTools()).tools).toHaveLength(1);
  });

  it.each([
    ['no answer', undefined],
    ['another text', { permission: 'maybe' }],
    ['a number', { permission: 7 }],
    ['another case', { permission: 'allow this script' }],
    ['another field', { answer: 'Allow this script' }],
    ['a list', { permission: ['Allow this script'] }],
  ] as [string, ElicitResult['content']][])('takes an accepted form with %s for a no', async (_, content) => {
    elicit.mockReturnValue({ action: 'accept', ...(content !== undefined && { content }) });
    expect((await asking().run('1')).structuredContent).toMatchObject({ status: 'denied' });
  });

  it('asks nobody about a script that cannot run', async () => {
    const { structuredContent } = await asking().run('const = 1');
    expect(structuredContent).toMatchObject({ status: 'failed', errorCode: 'parse_error' });
    expect(elicit).not.toHaveBeenCalled();
  });

  it('refuses where the client cannot ask, and says what to do', async () => {
    const { run } = await connect(await atServer(), { era });
    const answer = await run('1');
    expect(answer).toMatchObject({
      isError: true,
      structuredContent: { status: 'denied', reason: 'no_consent_function', text: textOf(answer) },
    });
    expect(textOf(answer)).toContain('--consent always');
  });

  it('refuses where the client can only open links', async () => {
    const { run } = await connect(await atServer(), { era, capabilities: { elicitation: { url: {} } } });
    expect((await run('1')).structuredContent).toMatchObject({ status: 'denied', reason: 'no_consent_function' });
  });

  it('does not ask with --consent always', async () => {
    const { run } = await connect(['--consent', 'always', ...(await atServer())], { era, elicit });
    expect((await run('1')).structuredContent.value).toBe(1);
    expect(elicit).not.toHaveBeenCalled();
  });
});

describe('--consent ask', () => {
  const elicit = vi.fn<(message: string, signal: AbortSignal) => ElicitResult | Promise<ElicitResult>>();
  beforeEach(() => void elicit.mockReset());
  const asking = connectForAll(atServer, { elicit });

  it('takes an error of the client for a no', async () => {
    elicit.mockImplementation(() => {
      throw new Error('no screen');
    });
    expect((await asking().run('1')).structuredContent).toMatchObject({ status: 'denied', reason: 'consent_failed' });
  });

  it('asks one question at a time; an answer for all answers those that wait', async () => {
    let open = 0;
    elicit.mockImplementation(async () => {
      expect(++open).toBe(1);
      await new Promise((resolve) => setImmediate(resolve));
      open--;
      return accept(forAll);
    });
    const { run } = await connect([], { elicit });
    const answers = await Promise.all(['1', '2', '3', '4'].map((script) => run(script)));
    expect(answers.map(({ structuredContent }) => structuredContent.value)).toEqual([1, 2, 3, 4]);
    expect(elicit).toHaveBeenCalledTimes(1);
  });

  it('closes the question of a call that is cancelled, and asks the next one', async () => {
    const controller = new AbortController();
    let closed: Promise<void> | undefined;
    elicit.mockImplementation(async (_, signal) => {
      if (closed !== undefined) return accept();
      closed = new Promise((resolve) => signal.addEventListener('abort', () => resolve()));
      controller.abort();
      await closed;
      return accept();
    });
    const { run } = asking();
    await expect(run('1', { signal: controller.signal })).rejects.toThrow(/abort/i);
    await closed;
    expect((await run('2')).structuredContent.value).toBe(2);
    expect(elicit).toHaveBeenCalledTimes(2);
  });

  it('tells progress while it waits for the user, so that the client does not give up', async () => {
    let hasProgress = (): void => {};
    const progress = new Promise<void>((resolve) => (hasProgress = resolve));
    elicit.mockImplementation(() => progress.then(() => accept()));
    const onprogress = ({ message }: { message?: string | undefined }): void => {
      if (message?.startsWith('Waiting for permission')) hasProgress();
    };
    expect((await asking().run('1', { onprogress })).structuredContent.value).toBe(1);
  });
});

it('a reply counts once, and only for a question that was asked', async () => {
  const { client } = await connect([], { era: '2026-07-28', elicit: () => accept(), autoFulfill: false });
  type Asked = { requestState?: string; inputRequests?: object };
  const call = async (more: object = {}): Promise<Asked> => {
    const params = { name: 'execute_sandbox_script', arguments: { script: '1' }, ...more };
    return (await client.callTool(params, { allowInputRequired: true })) as Asked;
  };
  const { requestState, inputRequests = {} } = await call();
  const [key = ''] = Object.keys(inputRequests);
  const inputResponses = { [key]: { action: 'accept', content: { permission: 'Allow this script' } } };
  for (const state of [undefined, 'asked', `${requestState}x`]) {
    const forged = await call({ inputResponses, ...(state !== undefined && { requestState: state }) });
    expect(forged.inputRequests).toBeDefined();
  }
  const answered = await call({ inputResponses, requestState });
  expect(answered).toMatchObject({ structuredContent: { value: 1 } });
  expect((await call({ inputResponses, requestState })).inputRequests).toBeDefined();
});
