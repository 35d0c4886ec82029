import { writeFileSync } from 'node:fs';
import { Client, type CallToolResult, type ElicitResult } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { cliInProcess as cli } from '../cli/in-process.ts';
import { httpTracker } from '../code-mode/support.ts';
import { add, gateway, onlyRun, says, type Gateway } from './gateway.ts';
import { connect, eras, main, textOf, type ConnectOptions } from './support.ts';

interface Served {
  client: Client;
  call: (name: string, args: object, more?: object) => Promise<Answer>;
  /** Ends the server and waits for it. */
  end: () => Promise<void>;
}

type Answer = CallToolResult & { structuredContent: Record<string, any> }; // oxlint-disable-line typescript/no-explicit-any -- a test looks into it

async function serve({ file }: Gateway, options: ConnectOptions = {}, args: string[] = []): Promise<Served> {
  const ends: (() => void | Promise<void>)[] = [];
  const { client } = await connect(['--connect', file, ...args], {
    ...options,
    onEnd: (end) => void ends.unshift(end),
  });
  const end = async (): Promise<void> => {
    for (const each of ends.splice(0)) await each();
  };
  onTestFinished(end);
  const call: Served['call'] = async (name, given, more = {}) => {
    const params = { name, arguments: { ...given }, ...more };
    const answer = await client.callTool(params, { allowInputRequired: options.autoFulfill === false });
    return answer as Answer;
  };
  return { client, call, end };
}

describe.each(eras)('a gateway, %s', (era) => {
  it('has one tool in front of all servers, and runs a script that calls them', async () => {
    const { client, call } = await serve(gateway(), { era });
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(['run_script', 'resume_script']);
    expect(tools[0]?.description).toContain('declare namespace notes');
    const { structuredContent } = await call('run_script', { script: '(await notes.count()).lines + 41' });
    expect(structuredContent).toMatchObject({ status: 'completed', value: 41 });
  });

  it('asks before a call with all that is sent, and goes on with the answer', async () => {
    const asked: string[] = [];
    const at = gateway();
    const { call } = await serve(at, { era, elicit: (message) => (asked.push(message), says('Allow this call')) });
    const { structuredContent } = await call('run_script', { script: add });
    expect(structuredContent).toMatchObject({ status: 'completed', value: 1 });
    expect(asked).toHaveLength(1);
    expect(asked[0]).toContain('Let the script call notes.add?\n\n{\n  "text": "one"\n}');
    expect(asked[0]).toContain('> 2 | const made = await notes.add');
    expect(asked[0]).toContain('So far the script has called: notes.count.');
    const shown = await cli(['runs', 'show', String(structuredContent['run'])]);
    expect(shown.stdout).toContain('approved by the user of test');
  });

  it('tells a script of a no, and of declining', async () => {
    const script = `try { await notes.add({ text: 'x' }) } catch (e) { e.code }`;
    const at = gateway();
    for (const reply of [says('Deny'), { action: 'decline' } as const]) {
      const { call, end } = await serve(at, { era, elicit: () => reply });
      expect((await call('run_script', { script })).structuredContent).toMatchObject({ value: 'capability_denied' });
      await end();
    }
    expect(at.notes()).toEqual([]);
  });

  it('asks once for all that a script proposes, and makes it in order, or nothing of it', async () => {
    const asked: string[] = [];
    const answers = ['Make all of these calls', 'Make none of them'];
    const tools = { add: { standIn: { lines: 0 } } };
    const at = gateway({ writes: 'propose' }, { tools });
    const { call } = await serve(at, { era, elicit: (message) => (asked.push(message), says(answers.shift() ?? '')) });
    const script = `for (const text of ['a', 'b']) await notes.add({ text }); 'ended'`;
    expect((await call('run_script', { script })).structuredContent).toMatchObject({
      status: 'completed',
      value: 'ended',
    });
    expect(asked[0]).toContain('1. notes.add\n{\n  "text": "a"\n}\n\n2. notes.add\n{\n  "text": "b"\n}');
    expect((await call('run_script', { script })).structuredContent).toMatchObject({ status: 'failed' });
    expect(asked).toHaveLength(2);
    expect(at.notes()).toEqual(['a', 'b']);
  });

  it('asks once for such calls of a run, and never again for what is always allowed', async () => {
    const asked: string[] = [];
    const at = gateway({ policy: [{ tool: 'notes.add', action: 'ask', keep: [] }] });
    const answers = ['Allow such calls in this run', 'Always allow such calls'];
    const { call } = await serve(at, { era, elicit: (message) => (asked.push(message), says(answers.shift() ?? '')) });
    const script = `for (const text of ['a', 'b', 'c']) await notes.add({ text }); 1`;
    for (let run = 0; run < 3; run++) {
      expect((await call('run_script', { script })).structuredContent).toMatchObject({ status: 'completed' });
    }
    expect(asked).toHaveLength(2);
    expect(asked[0]).toContain('“Such calls” are: notes.add() with any arguments.');
    expect(at.notes()).toHaveLength(9);
  });

  it('waits where nobody answers: decided at the command line, it goes on, and its result is there', async () => {
    const at = gateway();
    const { call } = await serve(at, { era, elicit: () => ({ action: 'cancel' }) });
    const waiting = await call('run_script', { script: add });
    const { run } = waiting.structuredContent as { run: string };
    expect(waiting).toMatchObject({
      isError: false,
      structuredContent: {
        status: 'waiting',
        waitsFor: ['approvals'],
        calls: [{ id: 2, tool: 'notes.add', args: [{ text: 'one' }] }],
      },
    });
    expect(textOf(waiting)).toContain(`mustard-sandbox runs show ${run}`);
    const approved = await cli(['runs', 'approve', run]);
    expect(approved).toMatchObject({ exitCode: 0, stderr: '' });
    await vi.waitFor(async () => {
      expect((await call('resume_script', { run })).structuredContent).toMatchObject({ status: 'completed', value: 1 });
    });
    expect(at.notes()).toEqual(['one']);
  });

  it('goes on after a restart of the server with what was decided meanwhile', async () => {
    const at = gateway();
    const first = await serve(at, { era });
    const { run } = (await first.call('run_script', { script: add })).structuredContent as { run: string };
    await first.end();
    const approved = await cli(['runs', 'approve', run]);
    expect(approved.stderr).toContain(`mustard-sandbox runs resume ${run}`);
    const second = await serve(at, { era });
    await vi.waitFor(async () => {
      expect((await second.call('resume_script', { run })).structuredContent).toMatchObject({ value: 1 });
    });
    expect(at.notes()).toEqual(['one']);
  });

  it('asks again when it is resumed', async () => {
    const replies: ElicitResult[] = [{ action: 'cancel' }, says('Allow this call')];
    const { call } = await serve(gateway(), { era, elicit: () => replies.shift() as ElicitResult });
    const { run } = (await call('run_script', { script: add })).structuredContent as { run: string };
    expect((await call('resume_script', { run })).structuredContent).toMatchObject({ status: 'completed', value: 1 });
  });

  it('never asks in a form for what a form cannot show', async () => {
    const asked: string[] = [];
    const { call } = await serve(gateway(), {
      era,
      elicit: (message) => (asked.push(message), says('Allow this call')),
    });
    const script = `await notes.add({ text: 'x'.repeat(50_000) })`;
    expect((await call('run_script', { script })).structuredContent).toMatchObject({ status: 'waiting' });
    expect(asked).toEqual([]);
  });

  it('shows what does not print', async () => {
    const asked: string[] = [];
    const { call } = await serve(gateway(), { era, elicit: (message) => (asked.push(message), says('Deny')) });
    await call('run_script', { script: String.raw`await notes.add({ text: 'a\u202eb\u200b' })` });
    expect(asked[0]).toContain(String.raw`"text": "a\u{202e}b\u{200b}"`);
    expect(asked[0]).not.toMatch(/[\u202e\u200b]/);
  });

  it('refuses wrong arguments, runs that are not there and other tools', async () => {
    const { call } = await serve(gateway(), { era });
    expect(await call('run_script', { code: '1' })).toMatchObject({ isError: true });
    expect(textOf(await call('resume_script', { run: 'nowhere' }))).toContain('There is no run nowhere');
    await expect(call('execute_sandbox_script', { script: '1' })).rejects.toMatchObject({ code: -32602 });
  });
});

describe('a form of a client with a handshake', () => {
  it('closes when somebody decides at the command line', async () => {
    const at = gateway();
    let closed = false;
    let opened = (): void => {};
    const isOpen = new Promise<void>((resolve) => (opened = resolve));
    const { call } = await serve(at, {
      elicit: (_, signal) =>
        new Promise(() => {
          opened();
          signal.addEventListener('abort', () => (closed = true));
        }),
    });
    const answer = call('run_script', { script: add });
    await isOpen;
    await cli(['runs', 'approve', await onlyRun()]);
    expect((await answer).structuredContent).toMatchObject({ status: 'completed', value: 1 });
    expect(closed).toBe(true);
    expect(at.notes()).toEqual(['one']);
  });

  it('leaves the run where it is when the client is tired of waiting', async () => {
    let opened = (): void => {};
    const isOpen = new Promise<void>((resolve) => (opened = resolve));
    const { client } = await serve(gateway(), { elicit: () => new Promise(() => opened()) });
    const stop = new AbortController();
    const answer = client.callTool({ name: 'run_script', arguments: { script: add } }, { signal: stop.signal });
    answer.catch(() => {});
    await isOpen;
    stop.abort();
    expect(await answer.catch(() => 'given up')).toBe('given up');
    expect((await cli(['runs', 'list'])).stdout).toContain('waiting');
  });

  it('ends the run when the client cancels while it works', async () => {
    const at = gateway({ policy: [{ tool: '*', action: 'allow' }] });
    const { client } = await serve(at);
    const stop = new AbortController();
    const script = `await notes.add_slowly({ text: 'late' })`;
    const answer = client.callTool({ name: 'run_script', arguments: { script } }, { signal: stop.signal });
    answer.catch(() => {});
    await vi.waitFor(async () => expect((await cli(['runs', 'list'])).stdout).toContain('running'));
    stop.abort();
    await vi.waitFor(async () => expect((await cli(['runs', 'list', '--all'])).stdout).toContain('cancelled'));
  });
});

describe('a handle of 2026-07-28', () => {
  const era = '2026-07-28';
  const capabilities = { elicitation: { form: {} } };
  const reply = { inputResponses: { 'call-2': says('Allow this call') } };

  it('is given back to another server after a restart, and counts once', async () => {
    const at = gateway();
    const first = await serve(at, { era, capabilities, autoFulfill: false });
    const asked = (await first.call('run_script', { script: add })) as unknown as {
      resultType: string;
      requestState: string;
      inputRequests: Record<string, unknown>;
    };
    expect(asked).toMatchObject({ resultType: 'input_required', inputRequests: { 'call-2': expect.anything() } });
    // A handle and no dump of the run.
    expect(asked.requestState.length).toBeLessThan(200);
    await first.end();

    const second = await serve(at, { era, capabilities, autoFulfill: false });
    const { requestState } = asked;
    for (let times = 0; times < 2; times++) {
      const { structuredContent } = await second.call('run_script', { script: add }, { ...reply, requestState });
      expect(structuredContent).toMatchObject({ status: 'completed', value: 1 });
    }
    expect(at.notes()).toEqual(['one']);
    const other = await second.call('run_script', { script: `${add};` }, { ...reply, requestState });
    expect(textOf(other)).toBe('The requestState is that of another script.');
    const forged = `${requestState.slice(0, -4)}AAAA`;
    await expect(second.call('run_script', { script: add }, { ...reply, requestState: forged })).rejects.toMatchObject({
      code: -32602,
    });
  });

  it('is worth nothing at the gateway of other servers', async () => {
    const first = await serve(gateway(), { era, capabilities, autoFulfill: false });
    const { requestState } = (await first.call('run_script', { script: add })) as unknown as { requestState: string };
    await first.end();
    const at = gateway();
    const second = await serve(at, { era, capabilities, autoFulfill: false });
    const again = second.call('run_script', { script: add }, { ...reply, requestState });
    await expect(again).rejects.toMatchObject({ code: -32602 });
    expect(at.notes()).toEqual([]);
  });
});

describe('a server that is killed', () => {
  it('never makes a call again that was under way: a person says what became of it', async () => {
    const at = gateway({ policy: [{ tool: '*', action: 'allow' }] });
    const transport = new StdioClientTransport({
      command: process.execPath,
      args: [main, 'mcp', '--connect', at.file],
      env: { ...(process.env as Record<string, string>) },
    });
    const client = new Client({ name: 'test', version: '1' });
    onTestFinished(() => client.close());
    await client.connect(transport);
    client
      .callTool({ name: 'run_script', arguments: { script: `await notes.add_slowly({ text: 'x' })` } })
      .catch(() => {});
    await vi.waitFor(async () =>
      expect((await cli(['runs', 'show', await onlyRun()])).stdout).toContain('is under way'),
    );
    process.kill(transport.pid as number, 'SIGKILL');
    at.go();

    const run = await onlyRun();
    const { call } = await serve(at);
    await vi.waitFor(
      async () =>
        expect((await call('resume_script', { run })).structuredContent).toMatchObject({ waitsFor: ['outcomes'] }),
      // The claim of the dead one holds 30 s.
      { timeout: 60_000, interval: 500 },
    );
    await cli(['runs', 'answer', run, '--value', '{"lines":1}']);
    await vi.waitFor(async () => {
      expect((await call('resume_script', { run })).structuredContent).toMatchObject({ value: { lines: 1 } });
    });
  }, 90_000);
});

describe('servers.json', () => {
  it('names servers at an address, and takes secrets from the environment', async () => {
    const { url } = (await httpTracker()) as { url: string };
    vi.stubEnv('TRACKER_TOKEN', 'sk-verysecret-123456');
    const tracker = { type: 'http', url, headers: { Authorization: 'Bearer ${TRACKER_TOKEN}' }, alwaysAllow: ['x'] };
    const { file } = gateway({ mcpServers: { 'issue-tracker': tracker, off: { command: 'nothing', disabled: true } } });
    const { client, stderr } = await connect(['--connect', file]);
    const script = `(await issue_tracker.whoami())`;
    const { structuredContent } = await client.callTool({ name: 'run_script', arguments: { script } });
    // The server got it, and the script does not.
    expect(structuredContent).toMatchObject({ value: 'token [secret]' });
    expect(stderr()).toContain('issue-tracker.alwaysAllow means nothing here');
  });

  const wrong: [name: string, content: string, message: RegExp][] = [
    ['no JSON', '{', /it is not JSON/],
    ['a list', '[]', /it is not an object/],
    ['no servers', '{}', /it has no object mcpServers/],
    ['an empty table', '{"mcpServers":{}}', /names no server/],
    ['neither command nor url', '{"mcpServers":{"a":{}}}', /mcpServers.a needs either a command or a url/],
    ['SSE', '{"mcpServers":{"a":{"type":"sse","url":"http://localhost"}}}', /"sse" is not supported/],
    [
      'two of one name',
      '{"mcpServers":{"a-b":{"command":"x"},"a_b":{"command":"x"}}}',
      /two servers would both be a_b/,
    ],
    ['a variable', '{"mcpServers":{"a":{"command":"${NO_SUCH_THING}"}}}', /the variable NO_SUCH_THING is not set/],
    [
      'a wrong rule',
      '{"mcpServers":{"a":{"command":"x"}},"policy":[{"tool":"*","action":"maybe"}]}',
      /policy: 0: action/,
    ],
    ['a program that is not there', '{"mcpServers":{"a":{"command":"/nowhere/x"}}}', /MCP server 'a' failed/],
  ];
  it.each(wrong)('says what is wrong: %s', async (_name, content, message) => {
    const { file } = gateway();
    writeFileSync(file, content);
    const { stderr, exitCode } = await cli(['mcp', '--connect', file]);
    expect(exitCode).toBeGreaterThan(1);
    expect(stderr).toMatch(message);
  });

  it('goes with no option of the other server', async () => {
    const { file } = gateway();
    for (const [option, value] of [
      ['--bash', 'local'],
      ['--media-dir', 'x'],
      ['--consent', 'never'],
    ] as const) {
      const { stderr, exitCode } = await cli(['mcp', '--connect', file, option, value]);
      expect({ exitCode, stderr }).toEqual({ exitCode: 2, stderr: expect.stringContaining(`${option} `) });
    }
  });
});
