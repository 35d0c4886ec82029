import type { SandboxOutcome, WantedOutcome } from './judge.mjs';

export class ProgramRunner<Outcome extends SandboxOutcome | WantedOutcome> {
  constructor(file: 'v8-child.mjs' | 'engine-child.mjs', options?: { programMs?: number });
  run(sources: string[], options?: { shared?: boolean }): Promise<Outcome[]>;
  close(): void;
}
