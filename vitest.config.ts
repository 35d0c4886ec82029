import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/global-setup.ts'],
    // As users load them. Vitest would take them for sources, and transform and instrument them.
    server: { deps: { external: [/\/packages\/[^/]+\/dist\//] } },
    setupFiles: ['test/setup.ts'],
    // The machines that run this are shared and slow at times: tests wait for conditions, this only ends a hang.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 30_000 } },
    maxWorkers: 2,
  },
});
