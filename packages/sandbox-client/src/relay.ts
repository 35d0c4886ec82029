import type { CancelSignal, Result } from '@mustard-sandbox/protocol';
import type { RunOptions, Sandbox } from './types.ts';

/** A run that came over a wire of its own, where its options were checked. */
export interface RelayedRun extends Omit<RunOptions, 'signal' | 'onStart' | 'onConsole' | 'onProgress'> {
  signal: CancelSignal | undefined;
  /** It must not throw. */
  onStart: NonNullable<RunOptions['onStart']>;
  onConsole?: RunOptions['onConsole'] | undefined;
  onProgress?: RunOptions['onProgress'] | undefined;
}

/** The checked answer of the sidecar, still encoded. */
export interface RelayedResult {
  answer: Result<'sandbox/run'>;
  sidecar: number;
  queueMs: number;
  /** How many bytes the sidecar has sent since the run began. The answer is not longer. */
  bytes: number;
}

/** A sandbox for a program that passes runs on. The runs are checked only once, and their results are not copied. */
export interface RelayingSandbox extends Sandbox {
  /** @throws {SandboxError} like `run` */
  relay(run: RelayedRun): Promise<RelayedResult>;
}
