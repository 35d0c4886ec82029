import { createSandbox, SandboxError, type ErrorCode, type Sandbox } from '@mustard-sandbox/client';
import { onDegraded } from '../../sandbox.ts';

/** One attempt, and whether it went as promised. */
export interface StressCheck {
  name: string;
  ok: boolean;
  detail: string;
}

const timeoutMs = 500;
/** A script that is stopped later than this after its deadline counts as not contained, in ms. */
const lateMs = 2_000;

/** Scripts that break an engine in different ways, and the errors that show it was contained. */
const hostileScripts: { name: string; script: string; expected: (ErrorCode | 'OK')[] }[] = [
  { name: 'endless loop', script: 'while (true) {}', expected: ['timeout', 'limit_exceeded'] },
  { name: 'endless awaits', script: 'while (true) { await 1 }', expected: ['timeout', 'limit_exceeded'] },
  {
    name: 'one long native call',
    script: 'const a = []; a.length = 4_000_000_000; a.join("").length',
    expected: ['timeout', 'limit_exceeded', 'sidecar_crashed'],
  },
  {
    name: 'oversized allocation',
    script: '"a".repeat(500000000).length',
    expected: ['sidecar_crashed', 'timeout', 'limit_exceeded'],
  },
  {
    name: 'native recursion',
    script: 'let a = [1]; for (let i = 0; i < 50000; i++) a = [a]; a.flat(Infinity).length',
    expected: ['OK', 'script_error', 'limit_exceeded', 'sidecar_crashed', 'timeout'],
  },
  { name: 'result that contains itself', script: 'const a = []; a.push(a); a', expected: ['script_error'] },
  { name: 'oversized result', script: '"x".repeat(12000000)', expected: ['limit_exceeded', 'timeout'] },
];

/** Tries to break a sandbox of its own, in a few seconds, and reports each attempt as soon as it has ended. */
export async function stress(tell: (check: StressCheck) => void, signal: AbortSignal): Promise<StressCheck[]> {
  await using sandbox = createSandbox({
    maxProcesses: 2,
    roots: [],
    quarantineAfter: 1000,
    maxCrashes: 1000,
    limits: { timeoutMs },
  });
  onDegraded(sandbox);
  const checks: StressCheck[] = [];
  const add = (check: StressCheck): void => {
    checks.push(check);
    tell(check);
  };
  await sandbox.warm();
  for (const hostile of hostileScripts) {
    signal.throwIfAborted();
    add(await contained(sandbox, hostile));
  }
  signal.throwIfAborted();
  add(await killedSidecars(sandbox));
  add(await nothingLeft(sandbox));
  return checks;
}

async function contained(
  sandbox: Sandbox,
  { name, script, expected }: (typeof hostileScripts)[number],
): Promise<StressCheck> {
  const startedAt = performance.now();
  const code = await outcome(sandbox, script);
  const ms = Math.round(performance.now() - startedAt);
  const works = await answers(sandbox);
  const ok = works && ms <= timeoutMs + lateMs && (expected as string[]).includes(code);
  return { name, ok, detail: `${code} after ${ms} ms${works ? '' : ', and no script ran after it'}` };
}

/** Each run that loses its process must settle, and later runs must work. */
async function killedSidecars(sandbox: Sandbox): Promise<StressCheck> {
  const runs = 20;
  let settled = 0;
  for (let count = 0; count < runs; count++) {
    // Each script is different: the sandbox quarantines a script that crashes repeatedly.
    const run = outcome(sandbox, `while (true) {} // ${count}`);
    const started = new Promise<void>((resolve) => {
      const stop = sandbox.on('run_started', () => {
        stop();
        resolve();
      });
    });
    await started;
    const busy = sandbox.stats().processes.find(({ state, pid }) => state === 'busy' && pid !== undefined);
    if (busy?.pid !== undefined) kill(busy.pid);
    if ((await run) !== 'untyped') settled++;
  }
  const works = await answers(sandbox);
  const detail = `${settled} of ${runs} runs settled${works ? '' : ', and no script ran after them'}`;
  return { name: 'sidecars killed in a run', ok: settled === runs && works, detail };
}

async function nothingLeft(sandbox: Sandbox): Promise<StressCheck> {
  const pids = sandbox.stats().processes.flatMap(({ pid }) => pid ?? []);
  await sandbox.close();
  const left = pids.filter(isAlive);
  return { name: 'processes left after closing', ok: left.length === 0, detail: `${left.length} of ${pids.length}` };
}

async function outcome(sandbox: Sandbox, script: string): Promise<ErrorCode | 'OK' | 'untyped'> {
  try {
    await sandbox.run({ script });
    return 'OK';
  } catch (error) {
    return error instanceof SandboxError ? error.code : 'untyped';
  }
}

async function answers(sandbox: Sandbox): Promise<boolean> {
  return sandbox.run({ script: '1 + 1' }).then(
    ({ value }) => value === 2,
    () => false,
  );
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // The process ended just now.
  }
}
