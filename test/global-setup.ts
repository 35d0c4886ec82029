import type { TestProject } from 'vitest/node';
import { build } from '../scripts/build/index.mjs';

/** Tests import and start what is built: however a test is run, that is made of the sources as they are now. */
export async function setup(project: TestProject): Promise<void> {
  await build();
  project.onTestsRerun(build);
}
