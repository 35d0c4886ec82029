import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { configurationPath } from '../../packages/cli/src/configuration/path.ts';
import { atServer, cliInProcess as cli } from './in-process.ts';
import { makeFolder, parseOnly, type Ended } from './support.ts';

/** A scan counts an instruction for each character. */
const scan = `let n = 0; for (let i = 0; i < 1e6; i++) n++; n === 1e6`;

/** Runs that with these settings. */
async function runWith(settings: string, ...args: string[]): Promise<Ended> {
  const folder = makeFolder({ 'config.toml': settings });
  const config = ['--config', join(folder, 'config.toml')];
  return await cli(['run', '-', '--json', ...config, ...args, ...(await atServer())], { input: scan });
}

describe('what is set', () => {
  it('holds where a flag says nothing', async () => {
    const folder = makeFolder({ 'config.toml': '[limits]\ntimeout = "100ms"\n' });
    const endless = ['run', '-', '--json', '--config', join(folder, 'config.toml')];
    const times = [endless, [...endless, '--timeout', '150ms']].map(async (args) => {
      const { error } = parseOnly(await cli(args, { input: 'while (true) {}' }));
      return [error.code, error.details['value']];
    });
    expect(await Promise.all(times)).toEqual([
      ['timeout', 100],
      ['timeout', 150],
    ]);
  });

  it('has more limits than there are flags, and more time does not raise one that is set', async () => {
    const { error } = parseOnly(await runWith('[limits]\ninstructions = 100_000\n', '--timeout', '5s'));
    expect(error).toMatchObject({ code: 'limit_exceeded', details: { limit: 'instructions', value: 100_000 } });
  });

  it('decides what a message does with much text', async () => {
    const settings = '[conversation.attachment]\nsize_threshold = "1KB"\nsize_policy = "reject"\ntruncate_to = "64B"\n';
    const cwd = makeFolder({ 'config.toml': settings, 'a.txt': 'x'.repeat(2000) });
    const args = ['message', 'Hi', '--attach', 'a.txt', '--mode', 'default-chat', '--json'];
    const env = { MUSTARD_SANDBOX_CONFIG: join(cwd, 'config.toml') };
    const rejected = parseOnly(await cli(args, { cwd, env }));
    expect(rejected.error).toMatchObject({ code: 'limit_exceeded', details: { value: 1024 } });
    const cut = parseOnly(await cli([...args, '--size-policy', 'truncate'], { cwd, env }));
    expect(cut).toMatchObject({ ok: true, truncated: ['a.txt'] });
    expect(JSON.stringify(cut)).toContain('2 KB → 64 B');
  });
});

describe('what is wrong is told with file and line', () => {
  it.each([
    ['[limits]\n\ntimeout = "5"\n', /config\.toml:3: limits\.timeout: '5' is not a duration/],
    ['[limits]\ntimeout = "3601s"\n', /:2: limits\.timeout: 3601s is out of range/],
    ['[limits]\ntimeout = true\n', /:2: limits\.timeout: a boolean is neither a text nor a number/],
    [
      '[limits]\ntimout = "5s"\n',
      /:2: limits\.timout: there is no such setting\. Did you mean timeout\? There are timeout,/,
    ],
    ['# x\nlimit = 1\n', /:2: limit: there is no such setting\. Did you mean limits\?/],
    ['limits = 1\n', /:1: limits: this is a table/],
    ['[limits]\n__proto__ = 1\n', /:2: limits\.__proto__: there is no such setting/],
    [
      '[conversation.attachment]\nsize_policy = "maybe"\n',
      /:2: .*size_policy: 'maybe' is not one of ask, allow, truncate/,
    ],
    ['conversation.attachment.truncate_to = "many"\n', /:1: .*truncate_to: 'many' is not a size/],
    ['[limits]\ntimeout = 5s\n', /:2: this is not valid TOML: /],
    [`${'#'.repeat(70_000)}\n`, /is larger than 65536 bytes/],
  ])('%#', async (settings, message) => {
    const ended = await runWith(settings);
    expect(ended.exitCode).toBe(2);
    expect(parseOnly(ended).error).toMatchObject({ code: 'invalid_request', message: expect.stringMatching(message) });
  });

  it('a file that was named must be there', async () => {
    const { exitCode, stderr } = await cli(['run', '-', '--config', join(makeFolder(), 'none.toml')]);
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining('There is no configuration')]);
  });
});

describe('the place', () => {
  it('is of the user, never the folder that the command works in', async () => {
    const low = '[limits]\ninstructions = 1000\n';
    const names = [
      'config.toml',
      'mustard-sandbox.toml',
      '.config/mustard-sandbox/config.toml',
      'mustard-sandbox/config.toml',
    ];
    const cwd = makeFolder(Object.fromEntries(names.map((name) => [name, low])));
    // Relative, so that each would lead into that folder.
    const env = { XDG_CONFIG_HOME: '.', APPDATA: '.', HOME: makeFolder(), USERPROFILE: makeFolder() };
    const run = await cli(['run', '-', '--root', '.', '--json'], { cwd, env, input: scan });
    expect(parseOnly(run)).toMatchObject({ ok: true, value: true });
    const lowered = await cli(['run', '-', '--json', '--config', 'config.toml'], { cwd, env, input: scan });
    expect(parseOnly(lowered).error.code).toBe('limit_exceeded');
    const named = await cli(['run', '-', '--json'], { cwd, env: { MUSTARD_SANDBOX_CONFIG: 'config.toml' } });
    expect(parseOnly(named).error.message).toContain("'config.toml' is a relative path");
  });

  it.each([
    [{ XDG_CONFIG_HOME: '/x' }, 'linux', '/x/mustard-sandbox/config.toml'],
    [{ XDG_CONFIG_HOME: '/x', MUSTARD_SANDBOX_CONFIG: '' }, 'darwin', '/x/mustard-sandbox/config.toml'],
    [{ XDG_CONFIG_HOME: '/x', MUSTARD_SANDBOX_CONFIG: '/y.toml' }, 'linux', '/y.toml'],
    [{ APPDATA: '/app', XDG_CONFIG_HOME: '/x' }, 'win32', '/app/mustard-sandbox/config.toml'],
  ])('%j on %s is %s', (env, platform, path) => {
    expect(configurationPath(undefined, env, platform).path.replaceAll('\\', '/')).toBe(path);
  });

  it('is shown by doctor', async () => {
    const folder = makeFolder();
    const path = join(folder, 'mustard-sandbox/config.toml');
    const env = { XDG_CONFIG_HOME: folder, APPDATA: folder };
    expect(parseOnly(await cli(['doctor', '--json'], { env }))['configuration']).toEqual({ path, exists: false });
    const named = join(folder, 'mine.toml');
    writeFileSync(named, '');
    const { stdout } = await cli(['doctor', '--config', named], { env });
    expect(stdout).toMatch(/^configuration +\S+mine\.toml$/m);
  });
});
