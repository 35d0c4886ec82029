import { createHash, randomUUID } from 'node:crypto';
import type { RunResult, SandboxError } from '@mustard-sandbox/client';
import { emit, type AgentEventListener } from '../events.ts';
import { explainFailure, type FailureContext } from '../failures/explain.ts';
import { bounded } from './cut.ts';
import { describeDenial, type Denial } from './consent.ts';
import type { Measured } from './output.ts';
import { textsOf } from './input.ts';
import type { RecordFacts, RecordStats, ScriptRecord } from './record.ts';
import { recordedError, withoutProfile } from './recorded-error.ts';
import { outputsBefore, recordedOutputs, remarksOnOutputs } from './saved.ts';
import type { CompletedResult, DeniedResult, FailedResult } from './result.ts';

/** Names that `explainFailure()` may mention. */
interface CallFacts extends Omit<FailureContext, 'attachments'> {
  description?: string | undefined;
  events: AgentEventListener | undefined;
  /** Default: a random one. */
  runId?: string | undefined;
}

/**
 * One call of the tool: its id, how long it took, and each way in which it can end, with the event and the record of
 * that end.
 */
export class Call {
  readonly runId: string;
  readonly scriptHash: string;
  readonly #facts: CallFacts;
  readonly #at = new Date().toISOString();
  readonly #startedAt = performance.now();
  #waitedMs = 0;

  constructor(facts: CallFacts) {
    this.#facts = facts;
    this.runId = facts.runId ?? randomUUID();
    this.scriptHash = createHash('sha256').update(facts.script).digest('hex');
  }

  /** Runs `wait`, and leaves its time out of the duration, because a person takes that time. */
  async waiting<T>(wait: () => Promise<T>): Promise<T> {
    const startedAt = performance.now();
    try {
      return await wait();
    } finally {
      this.#waitedMs += performance.now() - startedAt;
    }
  }

  /** A person is asked, or will be after earlier questions: about the script, or about its call of a host function. */
  asks(hostFunction?: string): void {
    const { events } = this.#facts;
    emit(events, {
      type: 'sandbox.script.asked',
      ...this.#identity(),
      ...(hostFunction !== undefined && { hostFunction }),
    });
  }

  begins(attachments: number): void {
    const { script, events } = this.#facts;
    const scriptBytes = Buffer.byteLength(script);
    emit(events, { type: 'sandbox.script.run', ...this.#identity(), scriptBytes, attachments });
  }

  /** Facts about the call for a trace. */
  attributes(attachments: number): Record<string, string | number> {
    return {
      'sandbox.run_id': this.runId,
      'sandbox.script.hash': this.scriptHash,
      'sandbox.script.bytes': Buffer.byteLength(this.#facts.script),
      'sandbox.attachments': attachments,
    };
  }

  completed(run: RunResult, output: Measured, isolation?: RecordFacts['isolation']): CompletedResult {
    const { value: _, queueMs: __, profile: ___, outputs = [], engine, attachmentsRead, warnings, ...numbers } = run;
    const { totalBytes, shownBytes, empty, ...shown } = output;
    const { events } = this.#facts;
    const durationMs = this.#durationMs();
    const identity = this.#identity();
    const resultBytes = totalBytes;
    emit(events, { type: 'sandbox.script.completed', ...identity, durationMs, engine, ...numbers, resultBytes });
    if (output.truncated) {
      const spilled = output.fullOutput !== undefined;
      emit(events, { type: 'sandbox.script.truncated', ...identity, totalBytes, shownBytes, spilled });
    }
    const { text, truncated, fullOutput } = output;
    const record: ScriptRecord = {
      ...this.#record(
        { durationMs, ...numbers },
        {
          attachmentsRead,
          isolation,
          engine,
          outputs: recordedOutputs(outputs),
        },
      ),
      result: { text, truncated, ...(fullOutput !== undefined && { fullOutput }), totalBytes, shownBytes, empty },
    };
    return {
      status: 'completed',
      ...shown,
      engine,
      ...numbers,
      durationMs,
      attachmentsRead,
      warnings,
      outputs,
      record,
    };
  }

  /** @param attachments names of the attachments that the script could read, if known */
  failed(error: SandboxError, attachments?: readonly string[], facts: RecordFacts = {}): FailedResult {
    const failure = bounded(withoutProfile(error));
    const outputs = outputsBefore(error);
    const why = explainFailure(failure, { ...this.#facts, attachments, profile: error.details.profile });
    const text = [why, ...remarksOnOutputs(outputs).map((line) => `[${line}]`)].join('\n');
    const durationMs = this.#durationMs();
    this.#tellFailure(failure, durationMs);
    const { engine, spent } = error.details;
    const { cpuMs: _, reached: __, instructionsUsed = 0, ...others } = spent ?? {};
    // MustardScript counts only up to the last call of a capability, and a sidecar that counted nothing reports 0.
    const isCounted = engine !== 'mustardscript' && instructionsUsed > 0;
    const numbers = { ...others, ...(isCounted && { instructionsUsed }) };
    const record: ScriptRecord = {
      ...this.#record({ durationMs, ...numbers }, { ...facts, engine, outputs: recordedOutputs(outputs) }),
      error: recordedError(failure, error.details.profile, text),
    };
    return {
      status: 'failed',
      text,
      error: failure.toJSON(),
      durationMs,
      ...numbers,
      ...(engine !== undefined && { engine }),
      outputs,
      record,
    };
  }

  denied({ by, reason, problem }: Denial): DeniedResult {
    const text = describeDenial(reason);
    const durationMs = this.#durationMs();
    emit(this.#facts.events, { type: 'sandbox.script.denied', ...this.#identity(), by, reason });
    const record: ScriptRecord = { ...this.#record({ durationMs }), denied: { by, text } };
    return { status: 'denied', text, by, reason, ...(problem !== undefined && { problem }), durationMs, record };
  }

  /** Records that a host function was refused. The run goes on, because the script may catch the error. */
  hostCallDenied(hostFunction: string, { by, reason }: Denial): void {
    emit(this.#facts.events, { type: 'sandbox.script.denied', ...this.#identity(), by, reason, hostFunction });
  }

  #tellFailure({ code, details }: SandboxError, durationMs: number): void {
    const { events } = this.#facts;
    const { engine } = details;
    const outcome = { ...this.#identity(), durationMs, ...(engine !== undefined && { engine }) };
    if (code === 'timeout') {
      emit(events, { type: 'sandbox.script.timeout', ...outcome, timeoutMs: details.value ?? 0 });
    } else if (code === 'sidecar_crashed') {
      const reason = details.reason;
      emit(events, { type: 'sandbox.script.crashed', ...outcome, ...(reason !== undefined && { reason }) });
    } else {
      emit(events, { type: 'sandbox.script.failed', ...outcome, code });
    }
  }

  #identity(): { runId: string; scriptHash: string } {
    return { runId: this.runId, scriptHash: this.scriptHash };
  }

  #durationMs(): number {
    // Several host functions may be asked about at once. Time in which they wait together counts once.
    return Math.max(0, performance.now() - this.#startedAt - this.#waitedMs);
  }

  #record(
    stats: RecordStats,
    { attachmentsRead, isolation, engine, outputs = [] }: RecordFacts = {},
  ): Omit<ScriptRecord, Ending> {
    const { script, description } = this.#facts;
    return {
      version: 1,
      runId: this.runId,
      script,
      ...(description !== undefined && { description }),
      ...(attachmentsRead !== undefined && { attachmentsRead }),
      ...(isolation !== undefined && { isolation }),
      ...(engine !== undefined && { engine }),
      ...(outputs.length > 0 && { outputs }),
      stats,
      at: this.#at,
    };
  }
}

/** The fields of a record that depend on how the call ended. */
type Ending = 'result' | 'error' | 'denied';

/** The facts of a call that reached no tool. */
export interface FailedCallContext {
  events?: AgentEventListener | undefined;
  /** Whether scripts could read in a folder. */
  hasRoot: boolean;
}

/** The answer to a call that no tool could take, for example because the folder for it is missing. */
export function failedCall(args: unknown, error: SandboxError, context: FailedCallContext): FailedResult {
  const { events, hasRoot } = context;
  return new Call({ ...textsOf(args), events, hasRoot }).failed(error);
}
