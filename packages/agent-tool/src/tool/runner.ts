import {
  type Diagnostic,
  type LimitOptions,
  type RunOptions,
  type RunResult,
  type RunWarning,
  type Sandbox,
  SandboxError,
  type SandboxStats,
  type ScopeOptions,
} from '@mustard-sandbox/client';
import { compileFailure, shorten, within } from '@mustard-sandbox/protocol';
import * as z from 'zod';
import type { Attachment } from '../attachments/attachment.ts';
import { parse } from '../options.ts';
import { availableFrom, type Available } from './attachments.ts';
import { Call } from './call.ts';
import { ConsentGate, type ConsentFunction, type ConsentRequest } from './consent.ts';
import { bindHostFunctions } from './host-functions.ts';
import { readInput, textsOf, type ExecuteSandboxScriptArgs } from './input.ts';
import { Life } from './life.ts';
import type { ToolOptions } from './options.ts';
import { toOutput } from './output.ts';
import { readableByPath } from './media.ts';
import { OwnSandbox } from './own-sandbox.ts';
import { previewScript } from './preview.ts';
import type { ExecuteSandboxScriptResult } from './result.ts';
import { Spills } from './spills.ts';
import { remarksOnOutputs } from './saved.ts';
import { loadTracing, type TraceRun } from './telemetry.ts';
import { engineFor, limitsFor } from './settings.ts';
import type { AttachmentTurn } from './turn.ts';

const has = (method: string, value: unknown): boolean =>
  typeof (value as Record<string, unknown> | null | undefined)?.[method] === 'function';

const contextSchema = z.strictObject({
  /** Aborting it ends the run, and closes a pending question for consent. */
  signal: z.custom<AbortSignal>((value) => has('addEventListener', value), 'must be an AbortSignal').optional(),
  /** Learns which attachments the script reads. */
  turn: z
    .custom<Pick<AttachmentTurn, 'markRead'> & Partial<Pick<AttachmentTurn, 'markDenied'>>>(
      (value) => has('markRead', value),
      'must come from createAttachmentTurn()',
    )
    .optional(),
  /** The function that asks a person about this call, instead of the tool's own `consent`. */
  consent: z.custom<ConsentFunction>((value) => typeof value === 'function', 'must be a function').optional(),
  /** Identifies the call in its events, its record and its question for consent. Default: a random UUID. */
  runId: z.string().min(1).max(64).optional(),
});

/** Options of one call, apart from its arguments. */
export type ExecuteContext = z.input<typeof contextSchema>;

/** How many characters of the console a model gets when there is no value. */
const maxPrinted = 4_000;

/** The parts of one run. */
interface Run {
  call: Call;
  request: ConsentRequest;
  attachments: readonly Attachment[];
  limits: LimitOptions;
  engine: Pick<RunOptions, 'engine'>;
  consent: ConsentFunction | undefined;
  /** The beginning of what the script has printed. */
  printed: string;
  signal: AbortSignal;
}

/** Runs the scripts of one tool, each from its arguments to its answer. */
export class ScriptRunner {
  readonly #options: ToolOptions;
  readonly #gate: ConsentGate;
  readonly #spills: Spills;
  readonly #closing = new AbortController();
  readonly #sandbox: Pick<Sandbox, 'run'> & {
    validate(script: string, scope: ScopeOptions, options: Pick<RunOptions, 'engine'>): Promise<Diagnostic[]>;
    stats(): SandboxStats | undefined;
  };
  readonly #ownSandbox: OwnSandbox | undefined;
  #tracing: Promise<TraceRun> | undefined;
  #confinement: 'process' | 'jail' | undefined;

  constructor(options: ToolOptions) {
    this.#options = options;
    const { readSettings, consent, consentTimeoutMs } = options;
    this.#gate = new ConsentGate({ readSettings, consent, timeoutMs: consentTimeoutMs });
    this.#spills = new Spills(options.media.outputs, options.chat);
    if (options.sandbox !== undefined) {
      const { sandbox } = options;
      this.#sandbox = {
        run: (request) => sandbox.run(request),
        validate: (script, _scope, options) => sandbox.validate(script, options),
        stats: () => sandbox.stats(),
      };
    } else {
      this.#sandbox = this.#ownSandbox = new OwnSandbox(options);
    }
  }

  isEnabled(): boolean {
    const { enabled, consent } = this.#options.readSettings();
    return enabled && consent !== 'never';
  }

  stats(): SandboxStats | undefined {
    return this.#sandbox.stats();
  }

  async consentRequest(args: unknown): Promise<ConsentRequest | undefined> {
    const input = readInput(args);
    if (input instanceof SandboxError) return undefined;
    const { attachments } = await this.#filesFor(input.script);
    const request = this.#requestFor(input, attachments);
    if (!this.#gate.mustAsk(request)) return undefined;
    const diagnostics = await this.#sandbox.validate(
      input.script,
      this.#scopeOf(attachments),
      engineFor(this.#options.readSettings()),
    );
    return diagnostics.length === 0 ? request : undefined;
  }

  async execute(args: unknown, context: ExecuteContext): Promise<ExecuteSandboxScriptResult> {
    const { signal, turn, consent, runId } = parse(contextSchema, context, 'execute() context');
    const { appPath, hostFunctions, events, readSettings } = this.#options;
    const settings = readSettings();
    const limits = limitsFor(this.#options.limits, settings);
    const names = Object.keys(hostFunctions);
    const facts = { events, runId, hostFunctions: names, hasRoot: appPath !== undefined };
    const call = new Call({ ...textsOf(args), ...facts });
    const input = readInput(args);
    if (input instanceof SandboxError) return call.failed(input);
    const { attachments, missing } = await this.#filesFor(input.script);
    const request = { runId: call.runId, ...this.#requestFor(input, attachments) };
    const traceRun = await (this.#tracing ??= loadTracing(this.#options.tracer));
    using life = new Life([signal, this.#closing.signal]);
    const run: Run = {
      call,
      request,
      attachments,
      limits,
      engine: engineFor(settings),
      consent,
      printed: '',
      signal: life.signal,
    };
    try {
      this.#assertOpen();
      const asking = (): void => call.asks();
      // Nobody is asked about a script that does not compile.
      const check = (): Promise<void> => this.#compile(run);
      const decision = await call.waiting(() => this.#gate.decide(request, life.signal, { consent, asking, check }));
      if (!decision.allowed) {
        turn?.markDenied?.();
        return call.denied(decision);
      }
      const result = await this.#run(run, traceRun);
      for (const name of result.attachmentsRead) turn?.markRead(name);
      const output = await toOutput(result.value, this.#spills, {
        remarks: [...remarkOn(missing), ...remarksOnOutputs(result.outputs)],
        warnings: result.warnings.map(inWords),
        printed: run.printed,
      });
      return call.completed(result, output, this.#isolation());
    } catch (error) {
      if (!(error instanceof SandboxError)) throw error;
      const attachmentsRead = readBeforeFailure(error, run);
      for (const name of attachmentsRead) turn?.markRead(name);
      const failure = this.#closing.signal.aborted ? closedError() : error;
      const names = attachments.map(({ name }) => name);
      return call.failed(failure, names, { attachmentsRead, isolation: this.#isolation() });
    }
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#ownSandbox?.close();
  }

  /**
   * Determined once, because the first start finds out what the machine can do, and that does not change while the host
   * runs.
   */
  #isolation(): 'process' | 'jail' | undefined {
    return (this.#confinement ??= this.#sandbox.stats()?.isolation.active);
  }

  #assertOpen(): void {
    if (this.#closing.signal.aborted) throw closedError();
  }

  async #run(run: Run, traceRun: TraceRun): Promise<RunResult> {
    const { call, request, attachments, limits, engine, consent, signal } = run;
    const { script } = request;
    const { hostFunctions, outputs } = this.#options;
    const scope = this.#scopeOf(attachments);
    call.begins(attachments.length);
    return await traceRun(call.attributes(attachments.length), (span) => {
      const functions = bindHostFunctions(hostFunctions, { call, gate: this.#gate, consent, span, request, signal });
      // Every run is profiled, so that a person can see what a slow run did. That costs about 3 µs for each call.
      const onConsole = ({ text }: { text: string }): void => {
        if (run.printed.length < maxPrinted) run.printed = shorten(`${run.printed}${text}\n`, maxPrinted);
      };
      return this.#sandbox.run({
        ...{ script, scope, limits, hostFunctions: functions, signal, profile: true, onConsole },
        ...engine,
        ...(outputs !== undefined && { outputs }),
      });
    });
  }

  /** @throws {SandboxError} the error that the run would fail with, if the compiler finds a problem in the script */
  async #compile({ request: { script }, attachments, engine, signal }: Run): Promise<void> {
    const diagnostics = await within(this.#sandbox.validate(script, this.#scopeOf(attachments), engine), { signal });
    if (diagnostics.length > 0) throw compileFailure(diagnostics);
  }

  #scopeOf(attachments: readonly Attachment[]): ScopeOptions {
    const { appPath, media } = this.#options;
    return {
      ...readableByPath(appPath, media.folders),
      attachments: attachments.map(({ name, path, noLinks }) => ({ name, path, ...(noLinks === true && { noLinks }) })),
    };
  }

  async #filesFor(script: string): Promise<Available> {
    const { attachments, missing } = await availableFrom(this.#options.attachments);
    const names = new Set(attachments.map(({ name }) => name));
    const spilled = await this.#spills.readableBy(script);
    return { attachments: [...attachments, ...spilled.filter(({ name }) => !names.has(name))], missing };
  }

  #requestFor({ script, description }: ExecuteSandboxScriptArgs, attachments: readonly Attachment[]): ConsentRequest {
    const root = this.#options.appPath;
    const files = attachments.map(({ name, size }) => ({ name, size }));
    return {
      script,
      preview: previewScript({ script, description, root, files }),
      files,
      ...(description !== undefined && { description }),
      ...(root !== undefined && { root }),
    };
  }
}

function remarkOn(missing: readonly string[]): string[] {
  if (missing.length === 0) return [];
  const shown = missing.slice(0, 5).map((name) => `attachments:${name}`);
  if (missing.length > shown.length) shown.push(`${missing.length - shown.length} more`);
  return [`No longer there: ${shown.join(', ')}.`];
}

function inWords({ message, line }: RunWarning): string {
  return `${line === undefined ? '' : `Line ${line}: `}${message}`;
}

/**
 * The sidecar reports what was read. If it died, each file that the script names counts as read, because it may have
 * been.
 */
function readBeforeFailure({ code, details }: SandboxError, { request, attachments }: Run): string[] {
  if (details.attachmentsRead !== undefined) return details.attachmentsRead;
  if (code !== 'sidecar_crashed' && details['killed'] !== true) return [];
  return attachments.map(({ name }) => name).filter((name) => request.script.includes(name));
}

function closedError(): SandboxError {
  return new SandboxError('closed', 'The tool was closed.');
}
