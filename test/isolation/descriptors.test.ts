import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { expect, it, onTestFinished, vi } from 'vitest';
import { startProcess } from '../../packages/sandbox-client/src/isolation/spawn.ts';
import { makeFolder, noJail } from './support.ts';

const fixture = fileURLToPath(new URL('fixtures/inheriting-host.mjs', import.meta.url));

it.skipIf(noJail !== undefined)('no child of any package holds a descriptor that its host inherited', async () => {
  const folder = makeFolder();
  const secret = join(folder, 'secret.txt');
  writeFileSync(secret, 'top secret');
  // bash can number handles as it likes, and leaves them open for what it starts. Node marks those up to the first gap.
  const open = `exec 9<${secret} 50</ 200<>${secret}; exec "$@"`;
  const { stdout } = await execa('bash', ['-c', open, 'bash', process.execPath, fixture, folder]);
  const told = JSON.parse(stdout.slice(stdout.indexOf('{'))) as {
    host: string[];
    children: string[][];
    read: { stdout: string };
    said: string;
  };
  expect(told.host).toEqual(expect.arrayContaining(['/', secret]));
  // The guard of jails; and bwrap, the init and what is inside, of a command and of a sidecar.
  expect(told.children.filter((links) => links.length > 0).length).toBeGreaterThan(6);
  expect(told.children.flat().filter((link) => link === '/' || link === secret)).toEqual([]);
  expect(told.read.stdout).not.toMatch(/top secret|root:/);
  expect(told.said).toContain('npm could not add x');
  expect(told.said.split('\n').filter((link) => link === '/' || link === secret)).toEqual([]);
  expect(readFileSync(secret, 'utf8')).toBe('top secret');
});

it.skipIf(process.platform === 'win32')('what starts them adds nothing to their environment', async () => {
  const home = makeFolder();
  writeFileSync(join(home, '.bashrc'), 'export ADDED=by-bashrc\n');
  vi.stubEnv('HOME', home);
  onTestFinished(() => void vi.unstubAllEnvs());
  const env = { KEPT: '1', BASH_ENV: join(home, '.bashrc'), HOME: home };
  // With sockets as its input and output, which to bash is a connection over the network.
  const child = startProcess(['/usr/bin/env'], { env, stdio: ['pipe', 'pipe', 'pipe'] }, () => {});
  const said = await text(child?.stdout as Readable);
  const names = said.split('\n').map((line) => line.replace(/=.*/, ''));
  // What a shell says of itself.
  expect(names.filter((name) => !/^(?:PWD|OLDPWD|SHLVL|_|)$/.test(name)).sort()).toEqual(['BASH_ENV', 'HOME', 'KEPT']);
});

it('all of them are started by one function', () => {
  const packages = fileURLToPath(new URL('../../packages', import.meta.url));
  const sources = readdirSync(packages).flatMap((name) =>
    readdirSync(join(packages, name, 'src'), { recursive: true, encoding: 'utf8' }).map((file) =>
      join(name, 'src', file),
    ),
  );
  const starting = sources.filter(
    (file) =>
      /\.tsx?$/.test(file) &&
      /^import (?!type ).*['"](?:node:)?child_process/m.test(readFileSync(join(packages, file), 'utf8')),
  );
  expect(starting).toEqual([join('sandbox-client', 'src', 'isolation', 'spawn.ts')]);
});
