import { fileURLToPath } from 'node:url';
import { errorNumbers, protocolVersion } from '@mustard-sandbox/protocol';
import { SandboxError } from '@mustard-sandbox/client';
import fc from 'fast-check';
import { markedProcesses } from '../stress/processes.mjs';
import { makeMarker, openSandbox, settlesWithin, trackProcess } from '../stress/sandboxes.mjs';
import { must } from './campaign.mjs';
import { brokenBytes, greeting, sidecarWords } from './messages.mjs';

const program = fileURLToPath(new URL('sidecar.mjs', import.meta.url));
const patienceMs = 15_000;
const maxGrowthBytes = 600 * 1024 * 1024;

const rightGreeting = {
  id: '$id',
  result: {
    protocolVersion,
    server: { name: 'fuzz', version: '0' },
    pid: 1,
    engine: { name: 'fuzz', available: true },
    limits: {},
    ceilings: {},
  },
};

/** Not the restart policy is the matter here, and it must not get in the way. */
function openFakeSandbox(words, maxCrashes = 1_000_000) {
  const command = [process.execPath, program, JSON.stringify(words)];
  return openSandbox({
    command,
    maxProcesses: 1,
    spares: 1,
    maxCrashes,
    quarantineAfter: 1_000_000,
    graceMs: 30,
  });
}

export async function open() {
  const marker = makeMarker();
  const before = process.env['TMPDIR'];
  process.env['TMPDIR'] = marker;
  const unhandled = [];
  const note = (error) => unhandled.push(error);
  process.on('unhandledRejection', note).on('uncaughtException', note);
  const residentBefore = process.memoryUsage.rss();
  let sandbox = openFakeSandbox(rightGreeting);

  const run = async (box, said) => {
    let calls = 0;
    let lines = 0;
    const hostFunctions = {
      ask: (...args) => {
        calls++;
        return args;
      },
      hang: { handler: () => new Promise(() => {}), timeoutMs: 20 },
      throws: () => {
        throw Object.assign(new Error('\u0000'.repeat(10)), { code: 'X', name: '\u202e' });
      },
    };
    const limits = { timeoutMs: 200, scriptBytes: 128 * 1024 };
    const running = box.run({
      script: JSON.stringify(said),
      hostFunctions,
      limits,
      onConsole: () => lines++,
    });
    const outcome = running.then(judgeResult, judgeError);
    must(await settlesWithin(patienceMs, Promise.allSettled([running])), 'a run does not settle');
    await outcome;
    const ours = (method, name) =>
      said.filter((item) => item.method === method && item.params?.runId === '$runId' && item.params.name === name)
        .length;
    must(lines <= ours('sandbox/console', undefined), 'a console line of another run');
    must(calls <= ours('sandbox/callHostFunction', 'ask'), 'a call of another run');
    await new Promise((resolve) => setImmediate(resolve));
    must(
      unhandled.length === 0,
      `unhandled: ${unhandled
        .splice(0)
        .map((error) => error?.stack ?? error)
        .join('\n')}`,
    );
    must(process.memoryUsage.rss() - residentBefore < maxGrowthBytes, 'the host grows');
  };

  const words = fc.oneof(
    fc.tuple(sidecarWords.right, fc.constant(undefined)),
    fc.tuple(sidecarWords.wrong, fc.option(brokenBytes, { freq: 20, nil: undefined })),
  );
  const laws = {
    'a run settles, whatever its sidecar says': fc.asyncProperty(words, async ([said, bytes]) => {
      const items = bytes === undefined ? said : [bytes.toString('base64'), ...said];
      await run(sandbox, items);
      if (['running', 'idle'].includes(sandbox.stats().state)) return;
      // It backs off: another one does not.
      await sandbox.close();
      sandbox = openFakeSandbox(rightGreeting);
    }),
    'so it does when the sidecar greets it badly': fc.asyncProperty(greeting, async (hello) => {
      const box = openFakeSandbox(hello, 1);
      try {
        await run(box, [{ id: '$id', result: {} }]);
      } finally {
        must(await settlesWithin(patienceMs, box.close()), 'close() does not settle');
      }
    }),
  };

  const close = async () => {
    await sandbox.close();
    process.off('unhandledRejection', note).off('uncaughtException', note);
    if (before === undefined) delete process.env['TMPDIR'];
    else process.env['TMPDIR'] = before;
  };
  const remains = async () => {
    await sandbox.close();
    const left = markedProcesses(marker);
    left.forEach(trackProcess);
    if (left.length === 0) return [];
    return [{ law: 'no sidecar is left', seed: 0, error: `${left.length} are`, input: '', file: '' }];
  };
  return { laws, shares: [4, 1], remains, close };
}

function judgeResult(result) {
  must('value' in result, 'no value');
  const numbers = ['bytesRead', 'executionMs', 'heapBytesUsed', 'hostCalls', 'instructionsUsed', 'queueMs'];
  const names = ['attachmentsRead', ...numbers, 'value', 'warnings'].toSorted();
  must(JSON.stringify(Object.keys(result).toSorted()) === JSON.stringify(names), `has ${Object.keys(result).join()}`);
  for (const name of numbers) must(Number.isFinite(result[name]) && result[name] >= 0, `${name} is ${result[name]}`);
  const { attachmentsRead, warnings } = result;
  must(Array.isArray(warnings) && warnings.every(({ id }) => typeof id === 'string'), 'warnings');
  must(Array.isArray(attachmentsRead) && attachmentsRead.every((name) => typeof name === 'string'), 'attachmentsRead');
  must({}.polluted === undefined, 'Object.prototype is polluted');
}

function judgeError(error) {
  must(error instanceof SandboxError, `not typed: ${error?.stack ?? error}`);
  const { code, message, details } = error;
  must(Object.hasOwn(errorNumbers, code) && typeof message === 'string', `code ${code}`);
  must(JSON.stringify(error).length < 2_000_000 && typeof details === 'object', 'details');
  // These words are the client's own.
  if (code === 'protocol_error')
    must(
      !/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u.test(message) && message.length < 20_000,
      `message ${JSON.stringify(message)}`,
    );
}
