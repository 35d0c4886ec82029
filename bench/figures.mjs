import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { createSandbox } from '@mustard-sandbox/client';
import { readScript, runInProcess, runParams, topErrorsInNode } from './in-process.mjs';
import { sideBySide } from './measure.mjs';

/** @typedef {{ name: string, unit: string, expected: number, ratio: number, timings: object, what: string }} Figure */

/** `1 + 1` on a warm sidecar, against what cannot be saved: the pipe there and back, and the engine. */
export async function warmRun({ quick }) {
  const sandbox = createSandbox({ spares: 0, maxProcesses: 1 });
  const echo = spawn(process.execPath, [new URL('./raw-echo.mjs', import.meta.url).pathname]);
  const line = Buffer.from(
    `${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'echo', params: { script: '1 + 1' } })}\n`,
  );
  const rawEcho = () =>
    new Promise((resolve) => {
      echo.stdout.once('data', resolve);
      echo.stdin.write(line);
    });
  const params = runParams('1 + 1');
  try {
    const timings = await sideBySide(
      {
        sidecar: () => sandbox.run({ script: '1 + 1' }),
        'raw pipe echo': rawEcho,
        'in-process engine': () => runInProcess(params),
      },
      { rounds: quick ? 500 : 5000, warmup: 500 },
    );
    const floor = timings['raw pipe echo'].p50 + timings['in-process engine'].p50;
    return {
      name: 'warm',
      what: 'warm 1 + 1 ÷ (raw pipe echo + in-process engine)',
      expected: 1.5,
      ratio: timings.sidecar.p50 / floor,
      timings,
    };
  } finally {
    echo.kill();
    await sandbox.close();
  }
}

/** The main job: the five most common error codes of an 80 MB log. */
export async function bigFile({ quick, log }) {
  const sandbox = createSandbox({ spares: 0, maxProcesses: 1, maxTimeoutMs: 60_000 });
  const script = readScript('top-errors.js');
  const scope = { attachments: [{ name: 'server.log', path: log }] };
  const limits = { timeoutMs: 60_000 };
  const params = runParams(script, scope, limits);
  try {
    const timings = await sideBySide(
      {
        sidecar: () => sandbox.run({ script, scope, limits }),
        'in-process engine': () => runInProcess(params),
        'plain Node': () => topErrorsInNode(log),
      },
      { rounds: quick ? 3 : 9, warmup: 1 },
    );
    const ratio = timings.sidecar.p50 / timings['in-process engine'].p50;
    const toNode = timings.sidecar.p50 / timings['plain Node'].p50;
    return {
      name: 'big-file',
      what: '80 MB top errors, sidecar ÷ in-process engine',
      expected: 1.1,
      ratio,
      toNode,
      timings,
    };
  } finally {
    await sandbox.close();
  }
}

/** What the jail of the operating system costs: at the start of a sidecar, and in a run that reads a file. */
export async function jail({ quick }) {
  const roots = [fileURLToPath(new URL('.', import.meta.url))];
  const skipped = await whyNoJail(roots);
  if (skipped !== undefined) return { skipped };
  const scope = { root: roots[0] };
  const boxes = Object.fromEntries(
    ['process', 'jail'].map((isolation) => [
      isolation,
      createSandbox({ isolation, roots, spares: 0, maxProcesses: 1 }),
    ]),
  );
  const start = (isolation) => async () => {
    const sandbox = createSandbox({ isolation, roots, spares: 0, maxProcesses: 1 });
    await sandbox.warm();
    // Not awaited: ending the process is no part of the start.
    void sandbox.close();
  };
  const read = (isolation) => () => boxes[isolation].run({ script: `read_file('measure.mjs').length`, scope });
  try {
    const starts = await sideBySide(
      { 'start, process': start('process'), 'start, jail': start('jail') },
      { rounds: quick ? 10 : 40, warmup: 3 },
    );
    const runs = await sideBySide(
      { 'run, process': read('process'), 'run, jail': read('jail') },
      { rounds: quick ? 500 : 5000, warmup: 500 },
    );
    return {
      name: 'jail',
      what: `start in the jail ÷ as a process; a run: ${ratioOf(runs, 'run').toFixed(2)} ×`,
      expected: 1.3,
      ratio: ratioOf(starts, 'start'),
      timings: { ...starts, ...runs },
    };
  } finally {
    await Promise.all(Object.values(boxes).map((sandbox) => sandbox.close()));
  }
}

async function whyNoJail(roots) {
  const sandbox = createSandbox({ roots, spares: 0 });
  await sandbox.warm();
  const { active, reason } = sandbox.stats().isolation;
  await sandbox.close();
  return active === 'jail' ? undefined : reason;
}

function ratioOf(timings, what) {
  return timings[`${what}, jail`].p50 / timings[`${what}, process`].p50;
}

/** Nothing spawned → first result. The client's modules are loaded already, as in a host that ran a script before. */
export async function firstRun({ quick }) {
  const timings = await sideBySide(
    {
      'spawn to first answer': async () => {
        const sandbox = createSandbox({ spares: 0, maxProcesses: 1 });
        await sandbox.run({ script: '1 + 1' });
        // Not awaited: ending the process is no part of the answer.
        void sandbox.close();
      },
      'node -e 0': () => new Promise((resolve) => spawn(process.execPath, ['-e', '0']).on('exit', resolve)),
    },
    { rounds: quick ? 10 : 40, warmup: 3 },
  );
  const ratio = timings['spawn to first answer'].p50 / timings['node -e 0'].p50;
  return { name: 'first-run', what: 'spawn to first answer ÷ wall time of node -e 0', expected: 1.5, ratio, timings };
}
