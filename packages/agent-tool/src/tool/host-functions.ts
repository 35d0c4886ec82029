import {
  defaultHostCallTimeoutMs,
  type HostFunction,
  type HostHandler,
  SandboxError,
  type SandboxValue,
} from '@mustard-sandbox/client';
import { problemOfGlobalName, throwIfAborted, within } from '@mustard-sandbox/protocol';
import * as z from 'zod';
import type { Call } from './call.ts';
import { describeDenial, type ConsentFunction, type ConsentGate, type ConsentRequest } from './consent.ts';
import { previewCall } from './preview.ts';
import type { RunSpan } from './telemetry.ts';

/** The longest time that a timer can take. */
const maxTimerMs = 2 ** 31 - 1;

/** A function of the host that scripts may call, and what the model is told about it. */
const hostFunctionSchema = z.strictObject({
  handler: z.custom<HostHandler>((value) => typeof value === 'function', 'must be a function'),
  /** TypeScript, for the model: `declare function search(query: string): string[];` */
  declaration: z.string(),
  /** What it does, in a sentence for the model. */
  description: z.string().optional(),
  /** How long one call may take, in ms. The wait for consent does not count. */
  timeoutMs: z.int().min(1).max(maxTimerMs).default(defaultHostCallTimeoutMs),
  /**
   * `ask`: the host's `consent` decides about each call, whatever the setting for scripts is. `always`: the consent to
   * the script covers the call.
   */
  consent: z.enum(['always', 'ask']).default('always'),
});

type HostFunctionOption = z.output<typeof hostFunctionSchema>;

export const hostFunctionsSchema = z.record(z.string(), hostFunctionSchema).superRefine((functions, context) => {
  for (const [name, { declaration }] of Object.entries(functions)) {
    const problem = problemOfGlobalName('host function', name) ?? problemOfDeclaration(name, declaration);
    if (problem !== undefined) context.addIssue({ code: 'custom', path: [name], message: problem });
  }
});

/** A function of the host that scripts may call. */
export type HostFunctionOptions = z.input<typeof hostFunctionSchema>;
export type HostFunctions = Readonly<Record<string, HostFunctionOption>>;

function problemOfDeclaration(name: string, declaration: string): string | undefined {
  const start = `declare function ${name}`;
  const next = declaration.trim().charAt(start.length);
  if (declaration.trim().startsWith(start) && (next === '(' || next === '<')) return undefined;
  return `declaration: must begin with '${start}('`;
}

/** What a call of a host function needs to know of its run. */
export interface RunAround {
  call: Call;
  gate: ConsentGate;
  /** The function that asks a person about this call, instead of the tool's own. */
  consent: ConsentFunction | undefined;
  span: RunSpan;
  /** The question about the script. A call adds its own name and arguments. */
  request: ConsentRequest;
  /** Aborted when the run is over, however it ended. */
  signal: AbortSignal;
}

/**
 * The host functions of one run for the client. Each call is traced, and needs consent first where the option says so.
 */
export function bindHostFunctions(functions: HostFunctions, run: RunAround): Record<string, HostFunction> {
  const entries = Object.entries(functions).map(([name, options]): [string, HostFunction] => {
    const handler = (...args: SandboxValue[]): Promise<unknown> =>
      run.span.hostCall(name, () => callFunction(name, options, args, run));
    // The limit is inside the handler, because the time of a person who is asked must not count.
    return [name, { handler, timeoutMs: maxTimerMs }];
  });
  return Object.fromEntries(entries);
}

async function callFunction(
  name: string,
  { handler, consent, timeoutMs }: HostFunctionOption,
  args: SandboxValue[],
  run: RunAround,
): Promise<unknown> {
  if (consent === 'ask') await askFirst(name, args, run);
  throwIfAborted(run.signal);
  return await within(Promise.resolve(handler(...args)), {
    signal: run.signal,
    timeout: { ms: timeoutMs, error: () => tooSlow(name, timeoutMs) },
  });
}

/** @throws {SandboxError} `capability_denied`, `cancelled` */
async function askFirst(name: string, args: SandboxValue[], run: RunAround): Promise<void> {
  const { call, gate, consent, request, signal } = run;
  const asked = { ...request, hostFunction: name, args, preview: previewCall(name, args) };
  const decision = await call.waiting(() => gate.decide(asked, signal, { consent, asking: () => call.asks(name) }));
  if (decision.allowed) return;
  call.hostCallDenied(name, decision);
  throw new SandboxError('capability_denied', describeDenial(decision.reason, `the call of ${name}()`), {
    details: { capability: name },
  });
}

function tooSlow(name: string, timeoutMs: number): SandboxError {
  return new SandboxError('capability_timeout', `${name}() did not answer within ${timeoutMs} ms.`, {
    details: { capability: name },
  });
}
