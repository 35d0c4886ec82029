import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openStage, type Stage } from '../remote/support.ts';
import { cliInProcess, runScriptInProcess } from '../cli/in-process.ts';
import { connect, makeFolder } from './support.ts';

// Scripts run at a server that sees none of the client's folders, over TCP: everything has to be sent.
let stage: Stage;
beforeAll(async () => {
  stage = await openStage({ tokens: [] });
});
afterAll(() => stage.end());

const always = ['--consent', 'always'];
const both = `({ root: read_file('src/a.txt'), attached: read_file('attachments:log') })`;
const files = { 'root/src/a.txt': 'in the folder', 'root/.env': 'SECRET=1', 'b.log': 'attached' };

it('the MCP server sends what its scripts read, and keeps secrets here', async () => {
  const folder = makeFolder(files);
  const args = ['--root', join(folder, 'root'), '--attach', `log=${join(folder, 'b.log')}`, ...always];
  const { run } = await connect([...args, '--remote', stage.server.url, '--upload-dir']);
  expect(await run(both)).toMatchObject({
    isError: false,
    structuredContent: { status: 'completed', value: { root: 'in the folder', attached: 'attached' } },
  });
  const { structuredContent } = await run(`list_files('.')`);
  expect(structuredContent.value).toEqual(['src/']);
});

it('the MCP server says what to do about a folder that may not be sent', async () => {
  const { run } = await connect(['--root', makeFolder(files), ...always, '--remote', stage.server.url]);
  const { isError, structuredContent } = await run('1');
  expect(isError).toBe(true);
  expect(JSON.stringify(structuredContent)).toContain('--upload-dir');
});

it('the command runs and validates at the server', async () => {
  const folder = makeFolder(files);
  const remote = ['--remote', stage.server.url];
  const scope = ['--root', join(folder, 'root'), '--attach', `log=${join(folder, 'b.log')}`];
  const ran = await runScriptInProcess(both, ...scope, ...remote, '--upload-dir');
  expect(ran.exitCode).toBe(0);
  expect(JSON.parse(ran.stdout)).toEqual({ root: 'in the folder', attached: 'attached' });
  const refused = await runScriptInProcess('1', ...scope, ...remote);
  expect(refused.exitCode).not.toBe(0);
  expect(refused.stderr).toContain('--upload-dir');
  const { exitCode, stdout } = await cliInProcess(['validate', '-', ...remote], { input: 'let let' });
  expect([exitCode, stdout]).not.toEqual([0, '']);
});
