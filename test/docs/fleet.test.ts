import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { expect, it } from 'vitest';
import { noRedis, RedisServer } from '../fleet/redis.ts';
import { blocksOf, printed, root } from './blocks.ts';

async function place(): Promise<{ cwd: string; env: Record<string, string> }> {
  const server = await RedisServer.start();
  const cwd = join(server.folder, 'workplace');
  mkdirSync(join(cwd, 'bin'), { recursive: true });
  symlinkSync(join(root, 'node_modules'), join(cwd, 'node_modules'), 'junction');
  writeFileSync(join(cwd, 'server.log'), 'one line\n');
  const program = `exec "${process.execPath}" "${join(root, 'packages/cli/dist/main.js')}" "$@"`;
  writeFileSync(join(cwd, 'bin/mustard-sandbox'), `#!/bin/sh\n${program}\n`, { mode: 0o755 });
  return { cwd, env: { QUEUE: server.url, PATH: `${join(cwd, 'bin')}:${process.env['PATH']}` } };
}

const examples = blocksOf('fleet.md').filter(({ mark }) => mark === undefined);

it.skipIf(noRedis).each(examples)('the example at docs/fleet.md:$line runs', async ({ code, language }) => {
  const { cwd, env } = await place();
  if (language === 'sh') {
    const { stdout } = await execa('/bin/sh', ['-e', '-c', code], { cwd, env });
    expect(stdout).toMatch(/^9\n[^]*\nacme +0 +0 +0$/);
    return;
  }
  writeFileSync(join(cwd, 'example.mjs'), code);
  const { stdout } = await execa(process.execPath, ['example.mjs'], { cwd, env });
  expect(stdout).toMatch(printed(code) as RegExp);
});
