import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { crashReason, StderrTail } from '../../packages/sandbox-client/src/exit-cause.ts';
import { Quarantine } from '../../packages/sandbox-client/src/quarantine.ts';
import { RestartPolicy } from '../../packages/sandbox-client/src/restart-policy.ts';

function clock(): { now: () => number; pass(ms: number): void } {
  let time = 1_000;
  return {
    now: () => time,
    pass: (ms) => {
      time += ms;
    },
  };
}

const limits = { maxCrashes: 5, crashWindowMs: 60_000, cooldownMs: 30_000 };

describe('restarts', () => {
  it('wait twice as long each time, with jitter between half and all of it', () => {
    fc.assert(
      fc.property(fc.double({ min: 0, max: 1, noNaN: true }), (random) => {
        const time = clock();
        const policy = new RestartPolicy(limits, time.now, () => random);
        for (const full of [100, 200, 400, 800]) {
          const next = policy.failed(false);
          expect(next.state).toBe('backing_off');
          const delay = (next as { until: number }).until - time.now();
          expect(delay).toBeGreaterThanOrEqual(full / 2);
          expect(delay).toBeLessThanOrEqual(full);
          time.pass(delay);
          expect(policy.current().state).toBe('running');
        }
      }),
    );
  });

  it('stop at the intensity limit until the cool-down is over, and then one start decides', () => {
    const time = clock();
    const policy = new RestartPolicy(limits, time.now);
    const states = Array.from({ length: 5 }, () => {
      time.pass(1_000);
      return policy.failed(false).state;
    });
    expect(states).toEqual(['backing_off', 'backing_off', 'backing_off', 'backing_off', 'unavailable']);
    time.pass(29_999);
    expect(policy.current().state).toBe('unavailable');
    time.pass(1);
    expect(policy.current().state).toBe('running');
    expect(policy.failed(false).state).toBe('unavailable');
    time.pass(30_000);
    expect(policy.succeeded()).toBe(true);
    expect(policy.succeeded()).toBe(false);
  });

  it('forget failures that are older than the window', () => {
    const time = clock();
    const policy = new RestartPolicy(limits, time.now);
    for (let round = 0; round < 100; round++) {
      expect(policy.failed(false).state).toBe('backing_off');
      time.pass(20_000);
    }
  });

  it('stop at once when the next start would fail the same way', () => {
    expect(new RestartPolicy(limits, clock().now).failed(true).state).toBe('unavailable');
  });
});

describe('quarantine', () => {
  it('refuses a script after its crashes, for the window, and no other', () => {
    const time = clock();
    const quarantine = new Quarantine(2, 1_000, time.now);
    expect(quarantine.record('bad', true).quarantined).toBe(false);
    expect(quarantine.check('bad')).toEqual({ suspect: true });
    time.pass(500);
    expect(quarantine.record('bad', true)).toMatchObject({ crashes: 2, quarantined: true });
    expect(() => quarantine.check('bad')).toThrow(/2 times/);
    expect(quarantine.size).toBe(1);
    expect(quarantine.check('good')).toEqual({ suspect: false });
    time.pass(500);
    quarantine.check('bad');
    expect(quarantine.size).toBe(0);
  });

  it('counts what was not proven once it is, and forgets it when the script is acquitted', () => {
    const quarantine = new Quarantine(2, 1_000, clock().now);
    for (let round = 0; round < 5; round++) expect(quarantine.record('bad', false).quarantined).toBe(false);
    expect(quarantine.check('bad')).toEqual({ suspect: true });
    expect(quarantine.record('bad', true)).toMatchObject({ crashes: 6, quarantined: true });
    quarantine.acquit('bad');
    expect(() => quarantine.check('bad')).toThrow(/6 times/);
    quarantine.record('unlucky', false);
    quarantine.acquit('unlucky');
    expect(quarantine.check('unlucky')).toEqual({ suspect: false });
  });
});

describe('the cause of an exit', () => {
  it.each([
    ['out_of_memory', { signal: 'SIGABRT', stderr: 'memory allocation of 500000000 bytes failed' }],
    ['out_of_memory', { signal: 'SIGKILL', stderr: 'mustard-sandbox-daemon: out of memory: 600 bytes resident' }],
    [
      'out_of_memory',
      {
        signal: 'SIGABRT',
        stderr: 'FATAL ERROR: Reached heap limit Allocation failed - JavaScript heap out of memory',
      },
    ],
    ['stack_overflow', { signal: 'SIGSEGV', stderr: '' }],
    ['stack_overflow', { signal: 'SIGABRT', stderr: "thread 'main' has overflowed its stack" }],
    ['stack_overflow', { exitCode: -1073741571, stderr: '' }],
    ['abort', { signal: 'SIGABRT', stderr: 'panicked' }],
    ['killed', { signal: 'SIGKILL', stderr: '' }],
    ['exit', { exitCode: 1, stderr: '' }],
    ['exit', { exitCode: 0, stderr: '' }],
  ])('is %s for %j', (reason, exit) => {
    expect(crashReason({ exitCode: undefined, signal: undefined, ...exit })).toBe(reason);
  });

  it('keeps the end of what was written, without what a terminal would act on', () => {
    const tail = new StderrTail();
    for (let index = 0; index < 1000; index++) tail.push(Buffer.from(`line ${index}\n`));
    tail.push(Buffer.from('\u001b[31mlast\u0007\n'));
    expect(tail.toString().length).toBeLessThanOrEqual(4200);
    expect(tail.toString()).toMatch(/line 999\nlast\\u\{7\}$/);
  });
});
