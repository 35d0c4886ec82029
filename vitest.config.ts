import { configDefaults, defineConfig } from 'vitest/config';
import { LongFirst } from './test/sequencer.ts';

/**
 * `*.campaign.test.ts`: tests that repeat one thing hundreds of times or all once more in the jail, work on 80 MB, fill a disk,
 * start compilers or a browser, or run all that the pages and examples show: seconds each. CI runs them, `npm test` does not.
 */
const campaigns = ['test/**/*.campaign.test.ts'];

/**
 * `*.alone.test.ts`: tests that need a process of their own. They change its environment, its folder or a global, look at
 * all that it has, or block it. All others leave nothing behind for the next file and share processes: to start one for
 * each file and to load the packages into it takes 0.4 s of processor time.
 */
const alone = ['test/**/*.alone.test.ts'];

// More do not help two processors: with eight, each loading the packages for itself, all took 295 s, with four 265 s. The
// machines of CI are slow, so that a fourth would make scripts there miss their deadlines.
const maxWorkers = Number(process.env['VITEST_MAX_WORKERS'] ?? (process.env['CI'] ? 3 : 4));

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
          exclude: [...configDefaults.exclude, ...campaigns, ...alone],
          setupFiles: ['test/properties.ts'],
          isolate: false,
          maxWorkers,
          sequence: { groupOrder: 0 },
        },
      },
      // Each of these keeps the processors busy by itself.
      {
        extends: true,
        test: {
          name: 'campaigns',
          include: campaigns,
          maxWorkers: Math.min(maxWorkers, 2),
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
});
