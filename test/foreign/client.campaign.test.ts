import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const python = ['python3', 'python'].find((command) => {
  const { status, stdout } = spawnSync(command, ['--version'], { encoding: 'utf8' });
  return status === 0 && /^Python 3\.(?:[89]|\d\d)/.test(stdout);
});
const main = createRequire(import.meta.url).resolve('@mustard-sandbox/daemon/main');
const scenario = fileURLToPath(new URL('scenario.py', import.meta.url));
if (python === undefined) console.warn('There is no Python 3 here: the foreign client is not tested.');

// One program does all of it, as a user's would; each test judges one part of its report.
describe.skipIf(python === undefined)(
  'a client in Python, which knows only what docs/reference/protocol.md says',
  () => {
    let folder: string;
    let report: Record<string, unknown>;

    beforeAll(async () => {
      folder = await mkdtemp(join(tmpdir(), 'foreign-'));
      await writeFile(join(folder, 'notes.txt'), 'hello');
      const { stdout } = await execa(python as string, ['-B', scenario, process.execPath, main, folder]);
      report = JSON.parse(stdout) as typeof report;
    });
    afterAll(() => rm(folder, { recursive: true }));

    it('shakes hands', () => {
      expect(report['handshake']).toMatchObject({
        protocolVersion: 2,
        server: { name: 'mustard-sandbox-daemon' },
        engine: { name: 'mustardscript', available: true },
        limits: { timeoutMs: 2_000 },
      });
    });

    it('is told when it speaks another version', () => {
      expect(report['another_version']).toMatchObject({
        code: 'protocol_error',
        details: { clientVersion: 99, serverVersion: 2 },
      });
    });

    it('runs a script with inputs, and gets what it cost', () => {
      expect(report['run']).toMatchObject({ value: 42, stats: { engine: 'quickjs', hostCalls: 0, bytesRead: 0 } });
    });

    it('lets a script read a folder, and nothing else', () => {
      expect(report['read_files']).toMatchObject({
        value: 'notes.txt:hello',
        bytesRead: 5,
        refused: { code: 'capability_denied', details: { capability: 'read_file', path: '../secret' } },
      });
    });

    it('gets console lines', () => {
      expect(report['console']).toEqual([
        ['log', 'one 2'],
        ['error', '{ three: 3 }'],
      ]);
    });

    it('serves a function to the script', () => {
      expect(report['host_function']).toEqual({ calls: [['a1', [1, 2]]], value: 19 });
    });

    it('throws into the script', () => {
      expect(report['failing_host_function']).toMatchObject({
        caught: ['ValueError', 'no such thing'],
        uncaught: { code: 'script_error', details: { name: 'ValueError', thrownMessage: 'no such thing' } },
      });
    });

    it('sends every kind of value, and gets those of JSON, `undefined` and what is no finite number', () => {
      const { sent, seen, back } = report['values'] as Record<'sent' | 'seen' | 'back', string[]>;
      expect(sent).toEqual(expect.arrayContaining(['undefined', 'nan', '-inf', '-0.0', '[1, hole, undefined]']));
      const left = new Map([
        ['-0.0', '0'],
        ['[1, hole, undefined]', '[1, None, None]'],
        ["{'a': {'b': [-0.0]}}", "{'a': {'b': [0]}}"],
      ]);
      const leaving = sent.map((value) => left.get(value) ?? value);
      expect({ seen, back }).toEqual({ seen: leaving, back: leaving });
    });

    it('validates', () => {
      expect(report['validate']).toMatchObject({
        good: [],
        bad: [{ code: 'unsupported_syntax', location: { line: 2 } }],
      });
    });

    it('gets errors with their facts', () => {
      expect(report['script_errors']).toMatchObject({
        thrown: { code: 'script_error', details: { name: 'RangeError', location: { line: 2 } } },
        syntax: { code: 'parse_error', details: { location: { line: 1, column: 9 } } },
        limit: { code: 'limit_exceeded', details: { limit: 'instructions', value: 10_000 } },
        deadline: { code: 'timeout', details: { limit: 'timeout_ms' } },
        'unknown field': { code: 'invalid_request', details: { problems: ["unknown option 'scope.colour'"] } },
      });
    });

    it('cancels a run that waits, and runs another in the same sidecar', () => {
      expect(report['cancel_at_a_call']).toMatchObject({ error: { code: 'cancelled' }, next: 2 });
    });

    it('cancels a run that computes, and runs another in the same sidecar', () => {
      expect(report['cancel_a_computation']).toMatchObject({ error: { code: 'cancelled' }, next: 2 });
    });

    it('gets what it asks for during a run after its answer', () => {
      expect(report['two_runs']).toMatchObject({
        first: 'first',
        early: null,
        second: { result: { value: { json: 2 } } },
        third: 3,
      });
    });

    // Elsewhere no kernel limit makes the allocation fail: it is a hang there.
    it.runIf(process.platform === 'linux')('survives a crash, and knows why', () => {
      expect(report['crash']).toMatchObject({
        code: 'sidecar_crashed',
        // Where the watchdog's thread was just starting, V8 is refused first, and aborts.
        details: { reason: expect.stringMatching(/^(?:out_of_memory|abort)$/) as string },
      });
    });

    it('ends what hangs', () => {
      expect(report['hang']).toMatchObject({ code: 'timeout', details: { killed: true } });
    });

    it('is told what was no message', () => {
      expect(report['not_a_frame']).toMatchObject({
        code: 'sidecar_unavailable',
        details: { exitCode: 76, stderr: expect.stringContaining('Content-Length') as string },
      });
    });

    it('ends a sidecar in order, and by closing its input', () => {
      expect(report['shutdown']).toMatchObject({
        exitCode: 0,
        afterShutdown: { code: 'closed' },
        afterExit: { code: 'closed' },
      });
      expect(report['end_of_input']).toBe(0);
    });
  },
);
