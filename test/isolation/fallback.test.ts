import { execa } from 'execa';
import { describe, expect, it } from 'vitest';
import { noJail } from './support.ts';

/** A host that runs where bubblewrap is hidden or may not do its work, and says what became of it. */
const host = `
  import { createSandbox } from '@mustard-sandbox/client';
  const isolation = process.argv[1];
  const told = [];
  for (let count = 0; count < 2; count++) {
    const box = createSandbox({ isolation, roots: ['.'], maxProcesses: 3, spares: 0, maxCrashes: 1 });
    const events = [];
    for (const event of ['spawned', 'retired', 'crashed', 'backing_off', 'unavailable', 'isolation_degraded']) {
      box.on(event, (facts) => events.push([event, facts.isolation ?? facts.why].join(' ').trim()));
    }
    const run = () => box.run({ script: '6 * 7' }).then(({ value }) => value, ({ code, message }) => [code, message]);
    const values = await Promise.all([run(), run(), run()]);
    const { isolation: status, totals, state } = box.stats();
    await box.close();
    told.push({ values, status, crashes: totals.crashes, state, events: [...new Set(events)] });
  }
  console.log(JSON.stringify(told));
`;

interface Told {
  values: unknown[];
  status: { active?: string; reason?: string; degraded?: true };
  crashes: number;
  state: string;
  events: string[];
}

/** Without bubblewrap: its file is covered. Refused: no namespaces may be made within this one. */
const machines = {
  'without bubblewrap': ['--dev-bind', '/', '/', '--ro-bind', '/dev/null', '/usr/bin/bwrap'],
  'that refuses namespaces': ['--unshare-user', '--disable-userns', '--dev-bind', '/', '/'],
};
const reasons: Record<keyof typeof machines, RegExp> = {
  'without bubblewrap': /is not installed in \/usr\/bin, .*apt install bubblewrap/,
  'that refuses namespaces': /could not start a sidecar: bwrap: .*namespace/,
};

/** Without a listener; each run may look for a jail again. Counts the starts that tried one. */
const silentHost = `
  import { createSandbox } from '@mustard-sandbox/client';
  const box = createSandbox({ roots: ['.'], maxProcesses: 1, spares: 0, cooldownMs: 1 });
  let looks = 0;
  box.on('spawned', () => looks++);
  const values = [];
  for (let count = 1; count <= 6; count++) {
    values.push((await box.run({ script: String(count) })).value);
    await new Promise((resolve) => setTimeout(resolve, 2 ** count));
  }
  await box.close();
  console.log(JSON.stringify({ values, looks }));
`;

/** A host whose descriptors are all taken while it looks for bubblewrap, and free again when that has failed. */
const shortOfDescriptors = `
  import { closeSync, openSync } from 'node:fs';
  import { createSandbox } from '@mustard-sandbox/client';
  // Not short of them while it finds its own files.
  await createSandbox({ isolation: 'process', spares: 0 }).warm();
  const box = createSandbox({ roots: ['.'], maxProcesses: 1, cooldownMs: 50 });
  const events = [];
  const taken = [];
  let before;
  box.on('isolation_degraded', ({ reason }) => {
    events.push(reason);
    before ??= box.stats().isolation;
    for (const fd of taken.splice(0)) closeSync(fd);
  });
  box.on('spawned', ({ isolation }) => events.push(isolation));
  box.on('retired', ({ why }) => events.push('retired: ' + why));
  try {
    for (;;) taken.push(openSync('/dev/null'));
  } catch {}
  const first = await box.run({ script: '6 * 7' });
  let runs = 0;
  while (!events.includes('jail') && runs++ < 10_000) await box.run({ script: '6 * 7' });
  await box.run({ script: '6 * 7' });
  console.log(JSON.stringify({ value: first.value, before, after: box.stats().isolation, events }));
  await box.close();
`;

function nodeWith(script: string, ...args: string[]): string[] {
  return [process.execPath, '--input-type=module', '-e', script, ...args];
}

async function hostOn(machine: keyof typeof machines, isolation: string): Promise<[Told, Told]> {
  const { stdout } = await execa('/usr/bin/bwrap', [...machines[machine], '--', ...nodeWith(host, isolation)]);
  return JSON.parse(stdout) as [Told, Told];
}

describe.skipIf(noJail !== undefined).each(Object.keys(machines) as (keyof typeof machines)[])(
  'a machine %s',
  (machine) => {
    it('runs scripts in a process with auto, and says why', async () => {
      const [first, second] = await hostOn(machine, 'auto');
      for (const { values, status, crashes } of [first, second]) {
        expect({ values, crashes }).toEqual({ values: [42, 42, 42], crashes: 0 });
        expect(status).toEqual({
          requested: 'auto',
          active: 'process',
          reason: expect.stringMatching(reasons[machine]) as string,
          degraded: true,
        });
      }
      // What was learnt holds for a while: nothing is tried again.
      expect(second.events).toEqual(['isolation_degraded', 'spawned process']);
      expect(first.events).toContain('isolation_degraded');
      expect(first.events).not.toContain('backing_off');
    });

    it('warns once where nobody listens, and tries again after the cool-down', async () => {
      const { stdout, stderr } = await execa('/usr/bin/bwrap', [...machines[machine], '--', ...nodeWith(silentHost)]);
      expect(stderr.match(/MustardSandboxWarning: Scripts run without a jail: /g)).toHaveLength(1);
      const { values, looks } = JSON.parse(stdout) as { values: number[]; looks: number };
      expect(values).toEqual([1, 2, 3, 4, 5, 6]);
      expect(looks).toBeGreaterThan(machine === 'that refuses namespaces' ? 1 : 0);
    });

    it('runs nothing with jail, and says what is missing', async () => {
      const [first] = await hostOn(machine, 'jail');
      const failed = ['sidecar_unavailable', expect.stringMatching(reasons[machine])];
      expect(first.values).toEqual([failed, failed, failed]);
      expect(first.status).toEqual({
        requested: 'jail',
        active: undefined,
        reason: expect.stringMatching(reasons[machine]) as string,
      });
      expect(first.events).not.toContain('spawned process');
    });
  },
);

it.skipIf(noJail !== undefined)('a shortage that passes costs the jail for a while, and is said', async () => {
  const { stdout } = await execa('sh', ['-c', 'ulimit -n 100; exec "$@"', 'sh', ...nodeWith(shortOfDescriptors)]);
  const { value, before, after, events } = JSON.parse(stdout) as Record<string, unknown> & { events: string[] };
  expect(value).toBe(42);
  expect(before).toMatchObject({ active: 'process', degraded: true, reason: expect.stringContaining('EMFILE') });
  expect(events[0]).toBe((before as { reason: string }).reason);
  expect(after).toMatchObject({ active: 'jail' });
  expect(after).not.toHaveProperty('degraded');
  // A process that is in none does not serve on once there is one.
  expect(events).toContain('retired: jail');
});
