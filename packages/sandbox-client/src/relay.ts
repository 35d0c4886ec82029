import type { CancelSignal, Result } from '@mustard-sandbox/protocol';
import type { RunOptions, Sandbox } from './types.ts';

/** A run that came over a wire of its own, where its options were checked. */
export interface RelayedRun extends Omit<RunOptions, 'signal' | 'onStart' | 'onConsole' | 'onProgress'> {
  signal: CancelSignal | undefined;
  /** Must not throw. */
  onStart: NonNullable<RunOptions['onStart']>;
  onConsole?: RunOptions['onConsole'] | undefined;
  onProgress?: RunOptions['onProgress'] | undefined;
}

/** The answer of the sidecar as it came, checked. */
export interface RelayedResult {
  answer: Result<'sandbox/run'>;
  sidecar: number;
  queueMs: number;
  /** What the sidecar sent since the run began: the answer is no longer. */
  bytes: number;
}

/** A sandbox for a program that passes runs on: they are checked once, and their results are not copied. */
export interface RelayingSandbox extends Sandbox {
  /** @throws {SandboxError} as `run` */
  relay(run: RelayedRun): Promise<RelayedResult>;
}
