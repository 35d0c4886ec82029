import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { createBashTools, type BashProgress, type BashTools, type Workspace } from '@mustard-sandbox/bash-tools';
import { beforeAll, describe, expect, it } from 'vitest';
import { noJail, openWorkspaces } from './support.ts';

describe.skipIf(noJail !== undefined)('a command in a jail', () => {
  let workspace: Workspace;
  let tools: BashTools;
  const run = (command: string, timeoutMs?: number) =>
    tools.bash.execute({ command, ...(timeoutMs !== undefined && { timeoutMs }) });

  beforeAll(async () => {
    const all = await openWorkspaces({ limits: { maxStdoutChars: 1_000, maxStderrChars: 1_000 } });
    workspace = await all.open();
    tools = createBashTools({ workspace, approval: { otherwise: 'allow' } });
  });

  it('gives what it wrote, its exit code and how long it took, and nothing else', async () => {
    const result = await run('echo out; echo err >&2; exit 3');
    expect(result).toEqual({
      stdout: 'out',
      stderr: 'err',
      exitCode: 3,
      truncated: false,
      durationMs: expect.any(Number) as number,
    });
  });

  it('writes to pipes that can be opened by name, as scripts do', async () => {
    expect(await run('echo a > /dev/stdout; echo b > /dev/stderr; echo c')).toMatchObject({
      stdout: 'a\nc',
      stderr: 'b',
    });
  });

  it('finds the end of its input, whatever it asks', async () => {
    expect(await run('cat; read answer; echo "code $?"')).toMatchObject({ stdout: 'code 1', exitCode: 0 });
  });

  it('keeps files between calls, also in $HOME and /tmp, and no variables', async () => {
    await run('echo 1 > a; echo 2 > ~/b; echo 3 > /tmp/c; export D=4');
    expect(await run('cat a ~/b /tmp/c; echo "${D-none}"')).toMatchObject({ stdout: '1\n2\n3\nnone' });
    expect(readFileSync(join(workspace.hostFolder as string, 'a'), 'utf8')).toBe('1\n');
  });

  it('has node, npm, git and python where the machine has them', async () => {
    const { stdout, exitCode } = await run('node -p 1+1 && npm --version && git init -q . && git status -sb');
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/^2\n\d+\.\d+\.\d+\n## No commits yet/);
  });

  it('runs a test suite that fails, with processes, sockets and a port of its own', async () => {
    await tools.writeFile.execute({
      path: 'suite/fails.test.mjs',
      content: `
        import { once } from 'node:events';
        import { execFileSync } from 'node:child_process';
        import { createServer, get } from 'node:http';
        import test from 'node:test';
        import assert from 'node:assert';
        test('a server answers', async () => {
          const server = createServer((_, answer) => answer.end('hello')).listen(0, '127.0.0.1');
          await once(server, 'listening');
          const [answer] = await once(get({ port: server.address().port }), 'response');
          assert.equal(answer.statusCode, 200);
          server.close();
        });
        test('a process starts', () => assert.equal(String(execFileSync('echo', ['hi'])), 'hi\\n'));
        test('one fails', () => assert.equal(1, 2));`,
    });
    const { stdout, exitCode } = await run(
      'node --test --test-reporter=tap suite | grep -E "^# (pass|fail)"; exit ${PIPESTATUS[0]}',
    );
    expect([stdout, exitCode]).toEqual(['# pass 2\n# fail 1', 1]);
  });

  it('says what a terminal would show: no escape sequences, the last state of a progress bar, no blank end', async () => {
    const { stdout } = await run(String.raw`printf '\033[1;31mred\033[0m\r\n10%%\r100%%\n\033]0;title\007end  \n\n'`);
    expect(stdout).toBe('red\n100%\nend');
  });

  it('shows what could move a cursor or turn text around as what it is', async () => {
    expect((await run(String.raw`printf 'a\xe2\x80\xaeb\x08c'`)).stdout).toBe('a\\u{202e}b\\u{8}c');
  });

  it('cuts at a line, says so, and names the file that has all of it', async () => {
    const { stdout, truncated } = await run('seq 1 100000');
    expect(truncated).toBe(true);
    expect(stdout.length).toBeLessThan(1_200);
    const [, path = ''] = /\n…\(truncated\) 575 KB in all\. All of it: (\S+)\n/.exec(stdout) ?? [];
    const lines = stdout.split('\n').filter((line) => !line.startsWith('…'));
    expect(lines.every((line) => /^\d+$/.test(line))).toBe(true);
    expect([lines[0], lines.at(-1)]).toEqual(['1', '100000']);
    expect((await run(`tail -n 1 ${path}; wc -l < ${path}`)).stdout).toBe('100000\n100000');
    expect((await tools.readFile.execute({ path })).content.startsWith('1\n2\n')).toBe(true);
    expect((await run('git status --short --ignored=no .mustard')).stdout).toBe('');
  });

  it('keeps 100 MB of output whole', async () => {
    const { stdout, truncated } = await run('head -c 104857600 /dev/zero | tr "\\0" "x" | fold -w 99');
    const [, path = ''] = /All of it: (\S+)/.exec(stdout) ?? [];
    expect(truncated).toBe(true);
    expect(statSync(join(workspace.hostFolder as string, path)).size).toBe(104_857_600 + Math.floor(104_857_600 / 99));
  });

  it('says of binary output only how much it was', async () => {
    const { stdout } = await run('head -c 5000 /dev/urandom; printf "\\0"');
    expect(stdout).toMatch(/^\[binary data, 4\.9 KB\. All of it: \.mustard\/outputs\/\S+-stdout\.txt\]$/);
  });

  it('ends after its time, with what it wrote until then', async () => {
    const { stdout, stderr, exitCode } = await run('echo begun; sleep 100', 3_000);
    expect([stdout, exitCode]).toEqual(['begun', 124]);
    expect(stderr).toContain('more than 3000 ms (timeoutMs)');
  });

  it('ends when it is aborted, and the next one runs', async () => {
    const controller = new AbortController();
    const running = tools.bash.execute(
      { command: 'touch begun-it; sleep 100' },
      { signal: controller.signal, onProgress: () => controller.abort() },
    );
    await expect(running).rejects.toMatchObject({ code: 'cancelled' });
    expect((await run('echo next')).stdout).toBe('next');
  });

  it('tells how far it is while it runs', async () => {
    const told: BashProgress[] = [];
    await tools.bash.execute({ command: 'echo 12345; sleep 0.7' }, { onProgress: (progress) => told.push(progress) });
    expect(told.at(-1)).toMatchObject({ command: 'echo 12345; sleep 0.7', stdoutBytes: 6, stderrBytes: 0 });
  });

  it('writes and reads files by paths of the workspace, as commands name them', async () => {
    expect(await tools.writeFile.execute({ path: 'deep/er/x.txt', content: 'é\n' })).toEqual({ success: true });
    expect(await tools.readFile.execute({ path: '/workspace/deep/er/x.txt' })).toEqual({ content: 'é\n' });
    await run('printf "#!/bin/sh\\necho old" > run.sh; chmod +x run.sh');
    await tools.writeFile.execute({ path: 'run.sh', content: '#!/bin/sh\necho new' });
    expect((await run('./run.sh')).stdout).toBe('new');
  });

  it.each([
    ['bash', { command: '' }],
    ['bash', { command: 'true', timeoutMs: 1.5 }],
    ['readFile', { path: 'a', encoding: 'latin1' }],
    ['writeFile', { path: 'a' }],
  ] as const)('refuses input for %s that does not fit: %j', async (name, input) => {
    await expect(tools[name].execute(input as never)).rejects.toMatchObject({ code: 'invalid_request' });
  });
});
