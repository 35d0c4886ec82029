// Runs tests in V8, each in a new context, with the harness of the package. Knows nothing of the sandbox.
import vm from 'node:vm';

/** Turns of the event loop that an asynchronous test gets: none of them waits for anything but promises. */
const turns = 50;

/** @param {{ scripts: string[], isAsync: boolean }} test @returns {Promise<import('./judge.mjs').Outcome>} */
async function run({ scripts, isAsync }) {
  /** @type {string[]} */
  const printed = [];
  const context = newContext((text) => printed.push(String(text)));
  try {
    for (const script of scripts) new vm.Script(script).runInContext(context);
  } catch (error) {
    return failure(error);
  }
  if (!isAsync) return { ended: true };
  for (let turn = 0; turn < turns && printed.length === 0; turn++) await new Promise((done) => setImmediate(done));
  const [said] = printed;
  if (said === 'Test262:AsyncTestComplete') return { ended: true };
  return { code: 'script_error', name: 'Test262Error', message: said ?? 'it did not end' };
}

/** @param {(text: unknown) => void} print */
function newContext(print) {
  const context = vm.createContext({ print });
  context.$262 = {
    global: vm.runInContext('this', context),
    createRealm: () => newContext(print).$262,
    evalScript: (source) => vm.runInContext(source, context),
    detachArrayBuffer: (buffer) => structuredClone(buffer, { transfer: [buffer] }),
  };
  return context;
}

function failure(error) {
  try {
    const name = String(error?.constructor?.name ?? typeof error);
    return { code: 'script_error', name, message: String(error?.message ?? error) };
  } catch {
    return { code: 'script_error', name: 'unknown', message: '' };
  }
}

// A promise that a test leaves rejected is its own affair.
process.on('unhandledRejection', () => {});
process.on('message', (message) => void answer(message));

/** Each is told of at once: one that takes this process down is the one after those. @param {any} tests */
async function answer(tests) {
  for (const test of tests) process.send?.(await run(test));
}
