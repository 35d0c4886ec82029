import { execa } from 'execa';
import { describe, expect, it } from 'vitest';
import { noJail } from './support.ts';

/** A host that runs where bubblewrap is hidden or may not do its work, and says what became of it. */
const host = `
  import { createSandbox } from '@mustard-sandbox/client';
  const isolation = process.argv[1];
  const told = [];
  for (let count = 0; count < 2; count++) {
    const box = createSandbox({ isolation, roots: ['.'], maxProcesses: 3, maxCrashes: 1 });
    const events = [];
    for (const event of ['spawned', 'retired', 'crashed', 'backing_off', 'unavailable']) {
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
  status: { active?: string; reason?: string };
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

async function hostOn(machine: keyof typeof machines, isolation: string): Promise<[Told, Told]> {
  const node = [process.execPath, '--input-type=module', '-e', host, isolation];
  const { stdout } = await execa('/usr/bin/bwrap', [...machines[machine], '--', ...node]);
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
        });
      }
      // What was learnt holds for the life of the host: nothing is tried again.
      expect(second.events).toEqual(['spawned process']);
      expect(first.events).not.toContain('backing_off');
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
