import { configDefaults, defineConfig } from 'vitest/config';

/** Tests that repeat one thing hundreds of times, work on 80 MB, or start compilers or a browser: seconds each. */
const campaigns = [
  'test/agent/core/page/hostile-page.test.ts',
  'test/agent/end-to-end/**/*.test.ts',
  'test/agent/page/*.test.ts',
  'test/agent-tool/attachments/killed.test.ts',
  'test/agent/problems/compilers.test.ts',
  'test/bench/bench.test.ts',
  'test/bench/idioms.test.ts',
  'test/bench/page.test.ts',
  'test/cards/browser/**/*.test.ts',
  'test/client/large-values.test.ts',
  'test/client/leftovers.test.ts',
  'test/examples/big.test.ts',
  'test/examples/demo.test.ts',
  'test/fuzz/**/*.test.ts',
  'test/scripts/build.test.ts',
  'test/stress/**/*.test.ts',
];
const everything = ['test/**/*.test.ts'];

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
    projects: [
      // Most tests wait for child processes half of the time: three workers keep two processors busy.
      {
        extends: true,
        test: {
          name: 'tests',
          include: everything,
          exclude: [...configDefaults.exclude, ...campaigns],
          maxWorkers: 3,
          sequence: { groupOrder: 0 },
        },
      },
      // Each of these keeps the processors busy by itself.
      { extends: true, test: { name: 'campaigns', include: campaigns, maxWorkers: 2, sequence: { groupOrder: 1 } } },
    ],
  },
});
