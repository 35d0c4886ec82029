import { cpSync, mkdtempSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { failureOf, sandbox } from './support.ts';

// Sidecars that are started by a command of the host: never in a jail, and without the launcher.

it('nothing of the environment or the folder of the host reaches a sidecar', async () => {
  vi.stubEnv('MUSTARD_TEST_SECRET', 'hunter2');
  vi.stubEnv('NODE_OPTIONS', '--no-warnings');
  const script = `
    const send = (m) => { const b = JSON.stringify({ jsonrpc: '2.0', ...m }); process.stdout.write('Content-Length: ' + Buffer.byteLength(b) + '\\r\\n\\r\\n' + b); };
    process.stdin.once('data', () => send({ id: 0, error: { code: 1101, message: JSON.stringify({ env: process.env, cwd: process.cwd() }) } }));
  `;
  const error = await failureOf(sandbox({ command: [process.execPath, '-e', script] }).run({ script: '1' }));
  vi.unstubAllEnvs();
  expect(error.message).toContain('"env"');
  expect(error.message).not.toMatch(/hunter2|NODE_OPTIONS|HOME/);
  expect(error.message).not.toContain(JSON.stringify(process.cwd()));
});

it('a sidecar whose memory grows past the cap is ended by its watchdog', async () => {
  // Without the launcher, as on Windows: there is no data limit in the way.
  const daemon = createRequire(import.meta.url).resolve('@mustard-sandbox/daemon/main');
  const box = sandbox({ command: [process.execPath, daemon], memoryBytes: 128 * 1024 * 1024, graceMs: 20_000 });
  await box.warm();
  const script = 'const a = []; for (;;) a.push("x".repeat(100000))';
  const error = await failureOf(box.run({ script, limits: { heapBytes: 256 * 1024 * 1024, timeoutMs: 10_000 } }));
  expect(error).toMatchObject({ code: 'sidecar_crashed', details: { reason: 'out_of_memory', signal: 'SIGKILL' } });
  expect(error.details.stderr).toMatch(/over the cap of 134217728/);
});

describe('without MustardScript', () => {
  it('a run goes to QuickJS, and one that asks for MustardScript fails with engine_unavailable', async () => {
    // The bundled sidecar in a place from which no binding can be found.
    const daemon = createRequire(import.meta.url).resolve('@mustard-sandbox/daemon/main');
    const folder = mkdtempSync(join(tmpdir(), 'mustard-bare-'));
    cpSync(join(daemon, '..'), join(folder, 'dist'), { recursive: true });
    writeFileSync(join(folder, 'package.json'), JSON.stringify({ type: 'module', version: '0.0.0' }));
    const box = sandbox({ command: [process.execPath, join(folder, 'dist', 'main.cjs')], logLevel: 'silent' });
    const engine = await box.warm();
    expect(engine).toMatchObject({
      available: false,
      reason: expect.stringContaining('@mustardscript/binding-') as string,
    });
    expect(await box.run({ script: '1' })).toMatchObject({ value: 1, engine: 'quickjs' });
    const error = await failureOf(box.run({ script: '1', engine: 'mustardscript' }));
    expect(error).toMatchObject({
      code: 'engine_unavailable',
      details: { platform: `${process.platform}-${process.arch}` },
    });
    expect(await box.validate('1')).toEqual([]);
  });
});
