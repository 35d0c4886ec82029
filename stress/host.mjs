// node stress/host.mjs MODE ISOLATION: a host that is going to be killed. Says what it does as JSON lines on stdout.
import { createSandbox } from '@mustard-sandbox/client';
import { confinedBy } from './sandboxes.mjs';

const say = (line) => process.stdout.write(`${JSON.stringify(line)}\n`);
const sandbox = createSandbox({ ...confinedBy(process.argv[3]), maxProcesses: 2 });
for (const event of /** @type {const} */ (['spawned', 'ready']))
  sandbox.on(event, ({ sidecar, pid }) => say({ sidecar, pid }));
// Whatever happens, the one that started this host ends it.
setInterval(() => {}, 60_000);

const modes = {
  /** Killed while the first sidecar starts. */
  async starting() {
    const warming = sandbox.warm();
    say({ now: 'starting' });
    await warming;
  },
  async idle() {
    await sandbox.run({ script: '1 + 1' });
    say({ now: 'idle' });
  },
  async computing() {
    sandbox.on('run_started', () => say({ now: 'computing' }));
    const loop = { script: 'while (true) {}', limits: { timeoutMs: 10_000, instructions: 2_000_000_000 } };
    await Promise.allSettled([sandbox.run(loop), sandbox.run(loop)]);
  },
  /** Inside one native call, where nothing but SIGKILL helps. */
  async stuck() {
    sandbox.on('run_started', () => say({ now: 'stuck' }));
    const script = 'new Array(4294967295).join("").length';
    await Promise.allSettled([sandbox.run({ script, limits: { timeoutMs: 10_000 } })]);
  },
  async 'host call'() {
    const ask = () => {
      say({ now: 'host call' });
      return new Promise(() => {});
    };
    await Promise.allSettled([sandbox.run({ script: 'ask()', hostFunctions: { ask } })]);
  },
  async busy() {
    say({ now: 'busy' });
    for (;;) {
      const touch = () => 1;
      const runs = [1, 2, 3].map((n) => sandbox.run({ script: `touch() + ${n}`, hostFunctions: { touch } }));
      await Promise.allSettled(runs);
    }
  },
};

await modes[process.argv[2]]();
