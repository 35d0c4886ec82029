import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Each takes ten seconds and more, most of them waiting. */
const long = [
  'agent/command/command.test.ts',
  'agent/worker/pool.test.ts',
  'cli/commands/fleet.test.ts',
  'cli/commands/runs.test.ts',
  'cli/interrupt.test.ts',
  'cli/commands/repl/terminal.test.ts',
  'client/backstop.alone.test.ts',
  'client/faults.alone.test.ts',
  'docs/agent-tool.test.ts',
  'mcp/gateway.test.ts',
  'mcp/process.test.ts',
  'mcp/tool.test.ts',
  'remote/bad-link.test.ts',
  'remote/gate.test.ts',
].map((path) => `/test/${path}`);

/** Where tests start hardly a process, and leave much garbage in their own. */
const growing = [
  'agent-tool/attachments/names.property.test.ts',
  'agent-tool/messages/',
  'agent/turns/',
  'agent/page/',
  'agent/workspace/',
  'bench/',
  'cards/',
  'cli/arguments.test.ts',
  'engine/',
  'files/',
  'lint/',
  'protocol/',
].map((path) => `/test/${path}`);

/**
 * Long files first, also where nothing ran before: begun last, one would keep the others' processors waiting.
 *
 * Those that make their process grow last: to start another process takes 0.5 ms of processor time in one of 50 MB, 5 ms in
 * one of 250 MB and 13 ms in one of 650 MB, because the kernel copies the tables of its pages.
 */
export class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    return sorted.toSorted((a, b) => rankOf(a) - rankOf(b));
  }
}

function rankOf({ project, moduleId }: TestSpecification): number {
  const { sequence, isolate } = project.config;
  const isLong = long.some((path) => moduleId.endsWith(path));
  const isGrowing = growing.some((path) => moduleId.includes(path));
  // As vitest has it: by groups, and in each those that do not share a process before those that do.
  return 6 * sequence.groupOrder + (isolate ? 0 : 3) + (isLong ? 0 : isGrowing ? 2 : 1);
}
