// Real sessions with the sidecar, frame by frame, for the examples of the protocol reference.
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { root } from './source.mjs';

const main = join(root, 'packages/sandbox-daemon/dist/main.cjs');
/** Ends a recording that hangs; a scene takes milliseconds. */
const patienceMs = 20_000;

/** One sidecar, with everything that went over the wire since `scene` was called last. */
class Session {
  #log = [];
  #messages = [];
  /** @type {(value?: unknown) => void} */
  #wake = () => {};
  #buffer = Buffer.alloc(0);
  #nextId = 1;

  constructor() {
    this.child = spawn(process.execPath, [main], { stdio: ['pipe', 'pipe', 'inherit'] });
    this.exited = new Promise((resolve) => this.child.on('exit', (exitCode) => resolve(exitCode)));
    this.child.stdout.on('data', (chunk) => this.#read(chunk));
  }

  /** Sends a request, and returns its id at once. */
  request(method, params) {
    const id = this.#nextId++;
    this.send({ jsonrpc: '2.0', id, method, params });
    return id;
  }

  send(message) {
    this.#log.push({ from: 'client', message });
    const body = JSON.stringify(message);
    this.child.stdin.write(`Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
  }

  /** The next message of the sidecar. */
  async next() {
    const late = delay(patienceMs, 'late', { ref: false });
    while (this.#messages.length === 0) {
      const woken = await Promise.race([new Promise((resolve) => (this.#wake = resolve)), late]);
      if (woken === 'late') throw new Error(`The sidecar is silent after ${JSON.stringify(this.#log.at(-1))}`);
    }
    return this.#messages.shift();
  }

  async answerTo(id) {
    for (;;) {
      const message = await this.next();
      if (message.id === id && message.method === undefined) return message;
    }
  }

  /** What went over the wire since the last call. */
  scene() {
    return this.#log.splice(0).map(({ from, message }) => ({ from, message: normalized(message) }));
  }

  #read(chunk) {
    this.#buffer = Buffer.concat([this.#buffer, chunk]);
    for (;;) {
      const end = this.#buffer.indexOf('\r\n\r\n');
      if (end === -1) return;
      const length = Number(/Content-Length: (\d+)/.exec(this.#buffer.toString('latin1', 0, end))?.[1]);
      if (this.#buffer.length < end + 4 + length) return;
      const message = JSON.parse(this.#buffer.toString('utf8', end + 4, end + 4 + length));
      this.#buffer = this.#buffer.subarray(end + 4 + length);
      this.#log.push({ from: 'sidecar', message });
      this.#messages.push(message);
      this.#wake();
    }
  }
}

/** What differs from run to run and from machine to machine. */
const varying = {
  pid: 4242,
  path: '/path/to/the/engine.node',
  executionMs: 0.4,
  cpuMs: 0.4,
  heapBytesUsed: 262144,
  residentBytes: 54525952,
};

function normalized(message) {
  return JSON.parse(JSON.stringify(message), (key, value) => {
    // An error tells its memory only where a run left some behind, which differs as well.
    if (key === 'details') delete value.residentBytes;
    return Object.hasOwn(varying, key) ? varying[key] : value;
  });
}

const run = (script, more = {}) => ({ runId: 'run-1', script, scope: {}, limits: {}, ...more });
const hello = (protocolVersion) => ({ protocolVersion, client: { name: 'example', version: '1.0.0' } });

/** @param {number} protocolVersion @returns {Promise<Record<string, any>>} the scenes, by name: `{ from: 'client' | 'sidecar', message }[]`; and `values` */
export async function recordScenes(protocolVersion) {
  const session = new Session();
  const scenes = { 'another version': await recordRefusal() };
  const record = async (name, play) => {
    await play();
    scenes[name] = session.scene();
  };
  const ask = (method, params) => session.answerTo(session.request(method, params));
  try {
    await record('initialize', () => ask('initialize', hello(protocolVersion)));
    await record('sandbox/run', () =>
      ask('sandbox/run', run('console.log("about to add"); a + b', inputsOf({ a: 2, b: 3 }))),
    );
    await record('sandbox/validate', () =>
      ask('sandbox/validate', { script: 'const a = 1;\nconst b = { get c() {} };' }),
    );
    await record('sandbox/callHostFunction', () => hostCall(session, { value: { json: 9.5 } }));
    await record('a host function that fails', () =>
      hostCall(session, { error: { name: 'RangeError', message: 'no price for a1' } }),
    );
    await record('a script that throws', () =>
      ask('sandbox/run', run('const limit = 3;\nthrow new RangeError(`over ${limit}`);')),
    );
    await record('two runs at once', () => twoRuns(session));
    await record('$/cancelRequest', () => cancelledRun(session));
    await record('an unknown field', () => ask('sandbox/run', run('1', { colour: 'red' })));
    scenes.values = await recordValues(session, ask);
    await record('ping', () => ask('ping', {}));
    await record('shutdown', async () => {
      await ask('shutdown', {});
      session.send({ jsonrpc: '2.0', method: 'exit' });
      const exitCode = await session.exited;
      if (exitCode !== 0) throw new Error(`The sidecar ended with ${exitCode}.`);
    });
    return scenes;
  } finally {
    session.child.kill('SIGKILL');
    await session.exited;
  }
}

async function recordRefusal() {
  const session = new Session();
  try {
    await session.answerTo(session.request('initialize', hello(99)));
    return session.scene();
  } finally {
    session.child.kill('SIGKILL');
  }
}

function inputsOf(object) {
  return { inputs: { json: object } };
}

async function hostCall(session, result) {
  const id = session.request('sandbox/run', run('price("a1") * 2', { hostFunctions: ['price'] }));
  const { id: callId } = await session.next();
  session.send({ jsonrpc: '2.0', id: callId, result });
  await session.answerTo(id);
}

async function twoRuns(session) {
  const first = session.request('sandbox/run', run('wait()', { hostFunctions: ['wait'] }));
  const { id: callId } = await session.next();
  const second = session.request('sandbox/run', run('1 + 1', { runId: 'run-2' }));
  session.send({ jsonrpc: '2.0', id: callId, result: { value: { json: null } } });
  await session.answerTo(first);
  await session.answerTo(second);
}

async function cancelledRun(session) {
  const id = session.request('sandbox/run', run('wait()', { hostFunctions: ['wait'] }));
  await session.next();
  session.send({ jsonrpc: '2.0', method: '$/cancelRequest', params: { id } });
  await session.answerTo(id);
}

/** Scripts that give back each kind of value, and what that is on the wire. */
const valueScripts = [
  '({ n: 1.5, list: ["a", true, null] })',
  'undefined',
  '0 / 0',
  '1 / 0',
  '-1 / 0',
  '-0',
  '[1, , 3]',
  '({ a: undefined, b: [-0] })',
  '({ $: "price", value: 5 })',
];

async function recordValues(session, ask) {
  const values = [];
  for (const script of valueScripts) {
    const { result } = await ask('sandbox/run', run(script));
    values.push([script, JSON.stringify(result.value)]);
  }
  session.scene();
  return values;
}
