import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { noRedis, RedisServer } from '../../fleet/redis.ts';
import { cli, main } from '../support.ts';

describe.skipIf(noRedis)('worker and fleet', () => {
  it('make a key, run a script at a worker, show it, and end it by SIGTERM', async () => {
    const server = await RedisServer.start();
    const cwd = join(server.folder, 'place');
    mkdirSync(cwd);
    const made = await cli(['fleet', 'key', 'acme', '--id', 'first']);
    expect(made.stdout).toMatch(/^acme first [A-Za-z0-9+/]{43}=\n$/);
    writeFileSync(join(cwd, 'keys'), made.stdout);
    writeFileSync(join(cwd, 'notes.txt'), 'hello');
    const queue = ['--queue', server.url, '--keys', 'keys'];
    const how = ['--files', 'shared', '--cache', 'cache', '--isolation', 'auto', '--listen', '127.0.0.1:0', '--json'];
    const worker = spawn(process.execPath, [main, 'worker', ...queue, ...how, '--name', 'one'], { cwd });
    onTestFinished(() => void worker.kill('SIGKILL'));
    const [line] = (await once(worker.stdout, 'data')) as [Buffer];
    const { url, ...facts } = JSON.parse(line.toString()) as { url: string };
    expect(facts).toMatchObject({ ok: true, name: 'one' });

    writeFileSync(join(cwd, 'script.js'), 'read_file("attachments:notes.txt").length');
    const fleet = ['--fleet', server.url, '--fleet-keys', 'keys', '--fleet-files', 'shared'];
    const ran = await cli(['run', 'script.js', '--attach', 'notes.txt', ...fleet, '--json'], { cwd });
    expect(JSON.parse(ran.stdout)).toMatchObject({ ok: true, value: 5 });

    const shown = await cli(['fleet', 'status', ...queue, '--json'], { cwd });
    expect(JSON.parse(shown.stdout)).toMatchObject({
      ok: true,
      workers: [{ name: 'one', running: 0 }],
      tenants: [{ name: 'acme', waiting: 0, running: 0, kept: [] }],
    });
    const watching = spawn(process.execPath, [main, 'fleet', 'status', '--watch', ...queue, '--json'], { cwd });
    onTestFinished(() => void watching.kill('SIGKILL'));
    const [seen] = (await once(watching.stdout, 'data')) as [Buffer];
    expect(JSON.parse(seen.toString())).toMatchObject({ ok: true, workers: [{ name: 'one' }] });
    watching.kill('SIGTERM');
    expect((await once(watching, 'exit'))[0]).toBe(0);
    expect((await cli(['fleet', 'status', ...queue], { cwd })).stdout).toMatch(/one .*0 of \d/);
    expect(await (await fetch(`${url}/ready`)).text()).toBe('ready\n');
    expect(await (await fetch(`${url}/metrics`)).text()).toContain('mustard_fleet_jobs_total{ending="answered"} 1');
    expect((await fetch(`${url}/etc`)).status).toBe(404);

    worker.kill('SIGTERM');
    expect(await once(worker, 'exit')).toEqual([0, null]);
  });

  it('say what is missing', async () => {
    expect(await cli(['fleet', 'key', 'A B'])).toMatchObject({ exitCode: 2 });
    expect(await cli(['fleet', 'status'])).toMatchObject({ exitCode: 2 });
    expect(await cli(['run', '-', '--fleet', 'redis://x'])).toMatchObject({ exitCode: 2 });
    expect(await cli(['run', '-', '--fleet-keys', 'x'])).toMatchObject({ exitCode: 2 });
    const unreachable = await cli(['fleet', 'status', '--queue', 'redis://127.0.0.1:1']);
    expect(unreachable).toMatchObject({ exitCode: 4 });
    expect(unreachable.stderr).toContain('cannot be reached');
  });
});
