import {
  Cancellation,
  limitTable,
  maxValueBytes,
  readLimitTable,
  type RunSpent,
  type SandboxError,
} from '@mustard-sandbox/protocol';
import type { SidecarResult } from '../asks.ts';
import { sumExceeded } from './errors.ts';
import { SharedAmount } from './shared-amount.ts';

/** The runs of one call. The first that fails ends the others. */
export class Group {
  /** What they may read together, in bytes. */
  readonly bytes: SharedAmount;
  /** Their values, in bytes of JSON. */
  readonly output = new SharedAmount(maxValueBytes);
  /** Ends all of them. */
  readonly over = new Cancellation();
  readonly startedAt = performance.now();
  error: SandboxError | undefined;

  constructor(bytes: number) {
    this.bytes = new SharedAmount(bytes);
  }

  fail(error: SandboxError): void {
    this.error ??= error;
    this.over.cancel();
  }

  /** Call this while a run is under way. Each may use what is left at its begin, so only this finds what all use. */
  report(run: object, { bytesRead }: Pick<RunSpent, 'bytesRead'>): void {
    this.bytes.report(run, bytesRead);
    if (this.bytes.left < 0) this.fail(sumExceeded(readLimitTable.maxTotalReadBytes.name, this.bytes.most));
  }

  succeed(run: object, answer: SidecarResult['answer']): void {
    this.report(run, answer);
    this.output.report(run, Buffer.byteLength(JSON.stringify(answer.value)));
    if (this.output.left < 0) this.fail(sumExceeded(limitTable.outputBytes.name, this.output.most));
  }

  /** Call this when a run has ended, in whatever way. */
  end(run: object): void {
    this.bytes.end(run);
    this.output.end(run);
  }
}
