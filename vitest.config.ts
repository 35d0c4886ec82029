import { configDefaults, defineConfig } from 'vitest/config';
import { LongFirst } from './test/sequencer.ts';

/**
 * Tests that repeat one thing hundreds of times or all once more in the jail, work on 80 MB, or start compilers or a
 * browser: seconds each. CI runs them, `npm test` does not.
 */
const campaigns = [
  'test/agent/core/page/hostile-page.test.ts',
  'test/agent/end-to-end/**/*.test.ts',
  'test/agent/page/*.test.ts',
  'test/agent-tool/attachments/killed.test.ts',
  'test/agent/answers/fix.test.ts',
  'test/agent/problems/{compilers,hostile}.test.ts',
  'test/bench/bench.test.ts',
  'test/bench/idioms.test.ts',
  'test/bench/page.test.ts',
  'test/cards/browser/**/*.test.ts',
  'test/client/large-values.test.ts',
  'test/client/leftovers.test.ts',
  'test/eval/blind.test.ts',
  'test/examples/big.test.ts',
  'test/examples/demo.test.ts',
  'test/fuzz/**/*.test.ts',
  'test/isolation/faults.test.ts',
  'test/language/{idioms,tables}.test.ts',
  'test/scripts/build.test.ts',
  'test/stress/**/*.test.ts',
];

/**
 * Tests that need a process of their own. They change its environment, its folder or a global, look at all that it has,
 * or block it. All others leave nothing behind for the next file and share processes: to start one for each file and to
 * load the packages into it takes 0.4 s of processor time.
 */
const alone = [
  'test/agent/changes/{install,versions}.test.ts',
  'test/client/{backstop,faults,leaks,many-runs}.test.ts',
  'test/isolation/attacks.test.ts',
];
const excluded = [...configDefaults.exclude, ...campaigns];

// More do not help two processors: with eight, each loading the packages for itself, all took 295 s, with four 265 s. The
// machines of CI are slow, so that a fourth would make scripts there miss their deadlines.
const maxWorkers = process.env['CI'] ? 3 : 4;

export default defineConfig({
  test: {
    globalSetup: ['test/global-setup.ts'],
    // As users load them. Vitest would take them for sources, and transform and instrument them.
    server: { deps: { external: [/\/packages\/[^/]+\/dist\//] } },
    setupFiles: ['test/setup.ts'],
    // The machines that run this are shared and slow at times: tests wait for conditions, this only ends a hang.
    testTimeout: 240_000,
    hookTimeout: 240_000,
    expect: { poll: { timeout: 120_000 } },
    sequence: { sequencer: LongFirst },
    projects: [
      // Of one group, so that no processor waits for the end of the other one: vitest runs those that stand alone first.
      { extends: true, test: { name: 'alone', include: alone, maxWorkers, sequence: { groupOrder: 0 } } },
      {
        extends: true,
        test: {
          name: 'sharing',
          include: ['test/**/*.test.ts'],
          exclude: [...excluded, ...alone],
          setupFiles: ['test/properties.ts'],
          isolate: false,
          maxWorkers,
          sequence: { groupOrder: 0 },
        },
      },
      // Each of these keeps the processors busy by itself.
      { extends: true, test: { name: 'campaigns', include: campaigns, maxWorkers: 2, sequence: { groupOrder: 1 } } },
    ],
  },
});
