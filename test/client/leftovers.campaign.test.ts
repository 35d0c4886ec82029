import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { failureOf, pidOf, sandbox, saying } from './support.ts';

const MiB = 1024 * 1024;
const limits = { timeoutMs: 60_000, instructions: 1e9 };
/** How fast it is depends on the machine, and is not the matter here. */
const maxTimeoutMs = 60_000;

function emptyRoot(): string {
  const root = mkdtempSync(join(tmpdir(), 'mustard-leftovers-'));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  return root;
}

/** Misses `n` files whose paths are some 4,000 characters long. */
const misses = `
  const path = ("x".repeat(240) + "/").repeat(16);
  let missed = 0;
  for (let i = 0; i < n; i++) { try { file_stats(path + i) } catch (error) { missed++ } }
  missed`;

// What is resident of another process is known by /proc.
describe.skipIf(process.platform !== 'linux')('what a run leaves behind', () => {
  const residentOf = (pid: number): number =>
    1024 * Number(/^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);

  it('does not grow with the errors that it caught', async () => {
    const box = sandbox({ maxProcesses: 1, spares: 0, maxTimeoutMs });
    const scope = { root: emptyRoot() };
    await box.run({ script: misses, inputs: { n: 100 }, scope });
    const pid = pidOf(box);
    const before = residentOf(pid);
    // 70 MB of errors, were they kept.
    await expect(box.run({ script: misses, inputs: { n: 8_000 }, scope, limits })).resolves.toMatchObject({
      value: 8_000,
    });
    expect(residentOf(pid) - before).toBeLessThan(60 * MiB);
  });

  it('is collected before it is measured', async () => {
    const box = sandbox({ maxProcesses: 1, spares: 0, maxTimeoutMs });
    // Each call leaves 10 MB in the sidecar's own heap, 400 MB in all.
    const script = 'const text = "x".repeat(5000000); for (let i = 0; i < 40; i++) take(text); 1';
    await box.run({ script, hostFunctions: { take: () => 1 }, limits });
    const [told, real] = [box.stats().processes[0]?.residentBytes as number, residentOf(pidOf(box))];
    // V8 gives pages back at its own time, so that the two are not equal.
    expect(told).toBeLessThan(200 * MiB);
    expect(real).toBeLessThan(200 * MiB);
  });
});

it('a process that holds much is replaced, also after a run that failed', async () => {
  const error = { code: 1003, message: 'no', data: { code: 'script_error', details: { residentBytes: 300 * MiB } } };
  const box = saying([{ id: '$id', error }]);
  const retired: string[] = [];
  box.on('retired', ({ why }) => retired.push(why));
  expect((await failureOf(box.run({ script: '1' }))).code).toBe('script_error');
  expect(retired).toEqual(['memory']);
});

it('an endless loop of misses ends as timeout, and its sidecar lives', async () => {
  const box = sandbox({ maxProcesses: 1, spares: 0, graceMs: 20_000 });
  const error = await failureOf(
    box.run({ script: misses, inputs: { n: 1e9 }, scope: { root: emptyRoot() }, limits: { timeoutMs: 4_000 } }),
  );
  expect(error.code).toBe('timeout');
  expect(box.stats().totals).toMatchObject({ crashes: 0, kills: 0 });
});

it('an error that was thrown into a script lately is known again when it comes out', async () => {
  const box = sandbox({ maxProcesses: 1, spares: 0, maxTimeoutMs });
  const script = `
    const caught = [];
    for (let i = 0; i < 300; i++) { try { read_file("../" + i) } catch (error) { caught.push(error) } }
    throw caught[which]`;
  const failed = async (which: number) =>
    await failureOf(box.run({ script, inputs: { which }, scope: { root: emptyRoot() } }));
  expect(await failed(299)).toMatchObject({ code: 'capability_denied', details: { path: '../299' } });
  expect(await failed(250)).toMatchObject({ code: 'capability_denied', details: { path: '../250' } });
  // Longer ago it is an error of the script like any other, with the code that it had there.
  expect(await failed(0)).toMatchObject({ code: 'script_error', details: { thrownCode: 'capability_denied' } });
});
