import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { errorDataSchema, errorNumbers, protocolVersion, requests } from '@mustard-sandbox/protocol';
import { statusBytes } from '../stress/processes.mjs';
import { must } from './campaign.mjs';
import { DaemonProcess } from './daemon-process.mjs';
import { clientMessage, frameOf, hostAnswer } from './messages.mjs';

const patienceMs = 15_000;
/** The caps of heap and values, several times over; the daemon itself takes some 100 MiB. */
const maxResidentBytes = 900 * 1024 * 1024;
const exits = { ok: 0, protocol: 76 };

const some = (arbitrary) => fc.array(arbitrary, { minLength: 1, maxLength: 5 });
/** Where the bytes of a conversation are cut into pieces. */
const cuts = fc.array(fc.nat({ max: 400 }), { maxLength: 2 });

export async function open() {
  const root = mkdtempSync(join(tmpdir(), 'mustard-fuzz-'));
  writeFileSync(join(root, 'a.txt'), 'a'.repeat(100));
  writeFileSync(join(root, '.env'), 'C4N4RY');
  const { refused, violations } = clientMessage({ root, protocolVersion, pid: process.pid });
  /** One in ten breaks the protocol, which ends the daemon; starting another takes its time. */
  const conversation = fc.oneof(
    { weight: 9, arbitrary: fc.record({ steps: some(refused), answers: some(hostAnswer.taken), cuts }) },
    {
      weight: 1,
      arbitrary: fc.record({
        steps: some(fc.oneof(refused, violations)),
        answers: some(fc.oneof(hostAnswer.taken, hostAnswer.violations)),
        cuts,
      }),
    },
  );
  /** Kept as long as it lives: starting one takes longer than a hundred conversations. @type {DaemonProcess | undefined} */
  let kept;
  const laws = {
    'a daemon answers, or ends as it should': fc.asyncProperty(conversation, async (said) => {
      kept ??= await greeted();
      const daemon = kept;
      kept = undefined;
      if (await converse(daemon, said)) kept = daemon;
      else daemon.kill();
    }),
    'so does one that was not greeted': fc.asyncProperty(conversation, async (said) => {
      const daemon = new DaemonProcess();
      await converse(daemon, said).finally(() => daemon.kill());
    }),
  };
  const close = async () => {
    kept?.kill();
    rmSync(root, { recursive: true, force: true });
  };
  return { laws, shares: [4, 1], remains: async () => [], close };
}

async function greeted() {
  const daemon = new DaemonProcess();
  daemon.send({
    id: 'hello',
    method: 'initialize',
    params: { protocolVersion, client: { name: 'fuzz', version: '1' } },
  });
  must(await daemon.until(() => daemon.messages.length === 1, patienceMs), 'initialize was not answered');
  daemon.messages.length = 0;
  return daemon;
}

let nextId = 1;

/** @returns whether the daemon is as it was before */
async function converse(daemon, { steps, answers, cuts }) {
  const asked = new Map();
  let last = 0;
  const parts = steps.map((step) => {
    if (step instanceof Uint8Array) return step;
    const message = fill(step, { $id: () => (last = nextId++), $last: () => last });
    if ('method' in message && message.id !== undefined) asked.set(JSON.stringify(message.id), message.method);
    return frameOf(message);
  });
  const raw = steps.some((step) => step instanceof Uint8Array);
  await writeInPieces(daemon, Buffer.concat(parts), cuts);
  const probe = `probe ${nextId++}`;
  // After bytes that are no frame the daemon may be waiting for more of them.
  if (raw) daemon.end();
  else daemon.send({ id: probe, method: 'ping' });
  asked.set(JSON.stringify(probe), 'ping');
  const open = new Map(asked);
  let seen = 0;
  const settled = await daemon.until(() => {
    for (; seen < daemon.messages.length; seen++) judge(daemon, daemon.messages[seen], { open, answers, raw });
    return daemon.exit !== undefined || (!raw && open.size === 0);
  }, patienceMs);
  must(daemon.stray === '', `no frame on stdout: ${JSON.stringify(daemon.stray.slice(0, 200))}`);
  must(settled, `hangs, with ${[...open.values()].join(', ')} open`);
  daemon.messages.length = 0;
  if (daemon.exit !== undefined) {
    judgeExit(daemon, steps, raw);
    return false;
  }
  const resident = statusBytes(daemon.pid, 'VmHWM') ?? 0;
  must(resident < maxResidentBytes, `${resident} bytes resident`);
  return !steps.some(({ method }) => method === 'shutdown');
}

async function writeInPieces(daemon, bytes, cuts) {
  let from = 0;
  for (const cut of [...cuts, bytes.length]) {
    daemon.write(bytes.subarray(from, from + cut));
    from += cut;
    await new Promise((resolve) => setImmediate(resolve));
  }
}

function judge(daemon, message, { open, answers, raw }) {
  must(message.jsonrpc === '2.0', 'no JSON-RPC');
  must(!JSON.stringify(message).includes('C4N4RY'), 'the canary came back');
  if (message.method === 'sandbox/console' || message.method === '$/cancelRequest') return;
  if (message.method === 'sandbox/callHostFunction') {
    daemon.send({ id: message.id, ...answers[message.id % answers.length] });
    return;
  }
  must(message.method === undefined, `asks for ${message.method}`);
  const id = JSON.stringify(message.id);
  // Mutated bytes may still be a request: `ing` is one, of a method that there is not.
  if (raw && !open.has(id)) return;
  must(open.has(id), `answers ${id}, which nobody asked or which it answered before`);
  const method = open.get(id);
  open.delete(id);
  if (message.error === undefined) {
    const { success, error } = requests[method].result.safeParse(message.result);
    must(success, `a result out of shape: ${error?.message}`);
    return;
  }
  const { code, message: text, data } = message.error;
  const { success, error } = errorDataSchema.safeParse(data);
  must(success, `an error out of shape: ${JSON.stringify(message.error).slice(0, 500)} ${error?.message}`);
  must(errorNumbers[data.code] === code, `an error of two codes: ${code}, ${data.code}`);
  must(!/^Unexpected|\bat \S+ \((?!guest)|node:internal/.test(text), `an error from inside: ${text}`);
}

function judgeExit({ exit, stderr }, steps, raw) {
  const { exitCode, signal } = exit;
  const what = `exit ${exitCode ?? signal}: ${stderr.slice(-500)}`;
  if (exitCode === exits.ok) return must(raw || steps.some(({ method }) => method === 'exit'), what);
  // It was told to die with a process that is not its host, or of a memory that is too small.
  if (signal === 'SIGKILL') return must(/the host process|out of memory/.test(stderr), what);
  must(
    exitCode === exits.protocol && /^mustard-sandbox-daemon: [^\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]+$/mu.test(stderr),
    what,
  );
}

/** The message with its placeholders filled in. */
function fill(value, values) {
  if (typeof value === 'string') return Object.hasOwn(values, value) ? values[value]() : value;
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => fill(item, values));
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, fill(item, values)]));
}
