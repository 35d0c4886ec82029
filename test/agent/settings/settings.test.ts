import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createClient } from '@libsql/client';
import { execa } from 'execa';
import { expect, test } from 'vitest';
import type { Keychain } from '../../../packages/desktop-agent/src/server/settings/keys.ts';
import { load, Peer, startAgent, tempFolder } from '../support.ts';

const { KeyStore } =
  await load<typeof import('../../../packages/desktop-agent/src/server/settings/keys.ts')>('server/settings/keys.js');

/** Of the system, as it is where there is one. */
function workingKeychain(): Keychain & { kept: Map<string, string> } {
  const kept = new Map<string, string>();
  return {
    kept,
    get: (provider) => kept.get(provider) ?? null,
    set: (provider, key) => void kept.set(provider, key),
    remove: (provider) => void kept.delete(provider),
  };
}

const locked: Keychain = {
  get: () => {
    throw new Error('locked');
  },
  set: () => {
    throw new Error('locked');
  },
  remove: () => {
    throw new Error('locked');
  },
};

test('settings have defaults, keep what is set, and tell every page', async () => {
  const dataDir = join(await tempFolder(), 'data');
  const program = await startAgent({ dataDir });
  const [page, other] = [await Peer.ready(program), await Peer.ready(program)];
  const { settings } = await page.ask('get-state', {});
  expect(settings).toMatchObject({ autoApprove: false, sizePolicy: 'ask', scripts: { consent: 'ask' } });
  await page.ask('update-settings', { theme: 'dark', dismissed: ['tip'] });
  const told = await other.until(({ event }) => event === 'settings:changed');
  expect(told['data']).toMatchObject({ settings: { theme: 'dark', dismissed: ['tip'], autoApprove: false } });
  expect((await page.request('update-settings', { theme: 'pink' })).error).toMatchObject({ code: 'invalid_request' });
  await program.close();
  const again = await Peer.ready(await startAgent({ dataDir }));
  expect((await again.ask('get-state', {})).settings).toMatchObject({ theme: 'dark', dismissed: ['tip'] });
});

test('of two changes at once none is lost', async () => {
  const page = await Peer.ready(await startAgent());
  const scripts = { enabled: true, consent: 'always', timeoutMs: 2_000 } as const;
  await Promise.all([
    page.ask('update-settings', { scripts }),
    page.ask('update-settings', { dismissed: ['first-run'] }),
    page.ask('update-settings', { theme: 'dark' }),
  ]);
  const { settings: after } = await page.ask('get-state', {});
  expect(after).toMatchObject({ scripts: { consent: 'always' }, dismissed: ['first-run'], theme: 'dark' });
});

test('settings of scripts that were kept without an engine stay, and their texts choose it', async () => {
  const dataDir = join(await tempFolder(), 'data');
  const first = await startAgent({ dataDir });
  const scripts = { enabled: true, consent: 'never', timeoutMs: 5_000, engine: 'quickjs' } as const;
  await (await Peer.ready(first)).ask('update-settings', { scripts });
  await first.close();
  const client = createClient({ url: `file:${join(dataDir, 'agent.db')}` });
  await client.execute(`UPDATE settings SET value = json_remove(value, '$.scripts.engine')`);
  client.close();
  const again = await Peer.ready(await startAgent({ dataDir }));
  expect((await again.ask('get-state', {})).settings).toMatchObject({ scripts: { ...scripts, engine: 'auto' } });
});

test('settings that cannot be read have their defaults, the others stay', async () => {
  const dataDir = join(await tempFolder(), 'data');
  const first = await startAgent({ dataDir });
  await (await Peer.ready(first)).ask('update-settings', { theme: 'dark' });
  await first.close();
  const client = createClient({ url: `file:${join(dataDir, 'agent.db')}` });
  await client.execute(`UPDATE settings SET value = json_set(value, '$.sizePolicy', 'never heard of', '$.more', 1)`);
  client.close();
  const again = await Peer.ready(await startAgent({ dataDir }));
  expect((await again.ask('get-state', {})).settings).toMatchObject({ theme: 'dark', sizePolicy: 'ask' });
});

test('a key goes in and never comes out: not over the contract, not into database or log', async () => {
  const program = await startAgent();
  const page = await Peer.ready(program);
  const key = 'sk-very-secret-0123456789';
  await page.ask('set-key', { provider: 'openai', key });
  expect(await page.ask('list-keys', {})).toEqual([{ provider: 'openai', storage: 'file' }]);
  await page.ask('get-state', {});
  expect(JSON.stringify(page.frames)).not.toContain(key);
  expect(await program.services.keys.get('openai')).toBe(key);
  for (const name of ['agent.db', 'agent.db-wal', 'agent.log']) {
    expect(await readFile(join(program.dataDir, name), 'latin1'), name).not.toContain(key);
  }
  await page.ask('set-key', { provider: 'openai', key: null });
  expect(await page.ask('list-keys', {})).toEqual([]);
});

test.each([
  ['none', undefined],
  ['one that is locked', locked],
])('with a keychain that is %s, keys are in a file that only this user may read', async (_, keychain) => {
  const dataDir = await tempFolder();
  const keys = new KeyStore({ dataDir, loadKeychain: async () => keychain });
  expect(await keys.set('anthropic', 'one')).toBe('file');
  expect(await keys.set('google', 'two')).toBe('file');
  expect((await stat(join(dataDir, 'keys.json'))).mode & 0o777).toBe(0o600);
  expect(await keys.get('anthropic')).toBe('one');
  expect(await keys.list()).toEqual([
    { provider: 'anthropic', storage: 'file' },
    { provider: 'google', storage: 'file' },
  ]);
  await keys.set('anthropic', null);
  expect(await keys.get('anthropic')).toBeUndefined();
});

test('with a keychain, keys are there and no longer in the file', async () => {
  const dataDir = await tempFolder();
  await new KeyStore({ dataDir, loadKeychain: async () => undefined }).set('openai', 'old');
  const keychain = workingKeychain();
  const keys = new KeyStore({ dataDir, loadKeychain: async () => keychain });
  expect(await keys.get('openai')).toBe('old');
  expect(await keys.set('openai', 'new')).toBe('keychain');
  expect(keychain.kept.get('openai')).toBe('new');
  expect(await readFile(join(dataDir, 'keys.json'), 'utf8')).not.toContain('old');
  expect(await keys.list()).toEqual([{ provider: 'openai', storage: 'keychain' }]);
});

test.skipIf(process.platform !== 'linux')(
  'without a secret service, keys are not in the memory of the kernel, which forgets them',
  async () => {
    const env = { ...process.env, DBUS_SESSION_BUS_ADDRESS: 'unix:path=/nowhere', MUSTARD_AGENT_KEYCHAIN: '' };
    const script = `
    import { KeyStore } from ${JSON.stringify(new URL('../../../packages/desktop-agent/dist/server/settings/keys.js', import.meta.url).href)};
    console.log(await new KeyStore({ dataDir: ${JSON.stringify(await tempFolder())} }).set('openai', 'key'));`;
    const { stdout } = await execa(process.execPath, ['--input-type=module', '--eval', script], { env });
    expect(stdout).toBe('file');
  },
);

test('a file of keys that is broken is not written over', async () => {
  const dataDir = await tempFolder();
  await writeFile(join(dataDir, 'keys.json'), '{ "openai": "half');
  const keys = new KeyStore({ dataDir, loadKeychain: async () => undefined });
  await expect(keys.set('openai', 'new')).rejects.toMatchObject({ code: 'changed' });
  expect(await readFile(join(dataDir, 'keys.json'), 'utf8')).toBe('{ "openai": "half');
});
