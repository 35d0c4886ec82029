import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createWorkspaces } from '@mustard-sandbox/bash-tools';
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { SandboxService } from './fixtures/sandbox-service.ts';
import { scratchFolder } from './support.ts';

const variables = { VERCEL_TOKEN: 'token-1', VERCEL_TEAM_ID: 'team', VERCEL_PROJECT_ID: 'project' };
/** Set by who wants the real service to be used, and pays for it. */
const isReal = process.env['MUSTARD_TEST_VERCEL'] === '1';

describe('a machine elsewhere, by a double of the service', () => {
  let service: SandboxService;
  beforeEach(() => {
    for (const [name, value] of Object.entries(variables)) vi.stubEnv(name, value);
    service = new SandboxService();
    vi.stubGlobal('fetch', service.fetch);
    onTestFinished(() => void vi.unstubAllGlobals().unstubAllEnvs());
  });

  it('is made with the first command, filled, and found again by the id of its workspace', async () => {
    const directory = scratchFolder();
    const source = scratchFolder();
    mkdirSync(join(source, 'src'));
    writeFileSync(join(source, 'src/a.js'), 'the text of a');
    writeFileSync(join(source, '.env'), 'secret');
    const first = await createWorkspaces({ directory, backend: 'vercel' });
    const workspace = await first.open({ seed: { upload: { path: source, include: ['**'] } } });
    expect(service.calls).toEqual([]);
    const result = await workspace.run('npm test');
    expect(result).toMatchObject({ stdout: 'ran npm test', stderr: 'warned', exitCode: 5, truncated: false });
    expect(await workspace.readFile('x')).toBe('read from there');
    await expect(workspace.readFile('../x')).rejects.toMatchObject({ code: 'capability_denied' });
    await first.close();

    const made = service.calls.filter(({ method, path }) => method === 'POST' && path === '/v2/sandboxes');
    expect(made.map(({ body }) => JSON.parse(body) as object)).toMatchObject([
      { name: `mustard-${workspace.id}`, runtime: 'node22', persistent: true, networkPolicy: { mode: 'deny-all' } },
    ]);
    const sent = service.calls.filter(({ path }) => path.endsWith('/fs/write')).map(({ body }) => body);
    expect(sent.join('')).toContain('the text of a');
    expect(sent.join('')).not.toContain('secret');
    expect(new Set(service.calls.map(({ authorization }) => authorization))).toEqual(new Set(['Bearer token-1']));

    const second = await createWorkspaces({ directory, backend: 'vercel' });
    onTestFinished(() => second.close());
    await (await second.open({ id: workspace.id })).run('ls');
    await second.remove(workspace.id);
    expect(service.calls.filter(({ method, path }) => method === 'POST' && path === '/v2/sandboxes')).toHaveLength(1);
    expect(service.calls.at(-1)).toMatchObject({ method: 'DELETE', path: `/v2/sandboxes/mustard-${workspace.id}` });
  });

  it('takes no folder of this machine as it is, and no git', async () => {
    const workspaces = await createWorkspaces({ directory: scratchFolder(), backend: 'vercel' });
    onTestFinished(() => workspaces.close());
    await expect(workspaces.open({ folder: scratchFolder() })).rejects.toMatchObject({ code: 'invalid_request' });
    await expect(workspaces.open({ seed: { git: { url: '/x' } } })).rejects.toMatchObject({ code: 'seed_failed' });
    expect(service.calls).toEqual([]);
  });

  it('is refused without credentials, by the name of each', async () => {
    vi.stubEnv('VERCEL_TEAM_ID', '');
    await expect(createWorkspaces({ directory: scratchFolder(), backend: 'vercel' })).rejects.toMatchObject({
      code: 'backend_unavailable',
      message: expect.stringContaining('VERCEL_TEAM_ID is not set') as string,
    });
  });
});

it.skipIf(!isReal)('a machine elsewhere, by the service itself (MUSTARD_TEST_VERCEL=1)', async () => {
  const workspaces = await createWorkspaces({ directory: scratchFolder(), backend: 'vercel' });
  onTestFinished(() => workspaces.close());
  const workspace = await workspaces.open({ temporary: true });
  expect(await workspace.run('echo there; exit 3')).toMatchObject({ stdout: 'there', exitCode: 3 });
});
