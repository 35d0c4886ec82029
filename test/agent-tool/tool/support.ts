import {
  createExecuteSandboxScriptTool,
  type AgentEvent,
  type CompletedResult,
  type DeniedResult,
  type ExecuteSandboxScriptResult,
  type ExecuteSandboxScriptTool,
  type ExecuteSandboxScriptToolOptions,
  type FailedResult,
} from '@mustard-sandbox/agent-tool';
import { createSandbox } from '@mustard-sandbox/client';
import { onTestFinished } from 'vitest';

/**
 * For all test files of a process; its sidecars end with that. A long grace: on a busy machine a run that can be cancelled
 * must not be killed, which would lose what it has measured. And a script that takes its sidecar down in several files is
 * not quarantined in the third.
 */
const sandbox = createSandbox({ spares: 0, graceMs: 10_000, quarantineAfter: 1000 });

/** A tool over a sandbox that other tests use too. Scripts are allowed, unless the options say otherwise. */
export function toolFor(options: ExecuteSandboxScriptToolOptions = {}): ExecuteSandboxScriptTool {
  const tool = createExecuteSandboxScriptTool({ sandbox, settings: { consent: 'always' }, ...options });
  onTestFinished(() => tool.close());
  return tool;
}

const crashingSandbox = createSandbox({ spares: 0, quarantineAfter: 1000, engine: 'mustardscript' });

/** Options for a tool whose scripts can take their sidecar down: `'a'.repeat(500000000).length` does. QuickJS survives it. */
export function crashing(): ExecuteSandboxScriptToolOptions {
  return { sandbox: crashingSandbox };
}

/** A listener and what it heard. */
export function recorder(): { events: AgentEvent[]; listen: (event: AgentEvent) => void; types: () => string[] } {
  const events: AgentEvent[] = [];
  return { events, listen: (event) => void events.push(event), types: () => events.map(({ type }) => type) };
}

export async function completed(answer: Promise<ExecuteSandboxScriptResult>): Promise<CompletedResult> {
  return expectStatus(await answer, 'completed');
}

export async function failed(answer: Promise<ExecuteSandboxScriptResult>): Promise<FailedResult> {
  return expectStatus(await answer, 'failed');
}

export async function denied(answer: Promise<ExecuteSandboxScriptResult>): Promise<DeniedResult> {
  return expectStatus(await answer, 'denied');
}

function expectStatus<S extends ExecuteSandboxScriptResult['status']>(
  result: ExecuteSandboxScriptResult,
  status: S,
): Extract<ExecuteSandboxScriptResult, { status: S }> {
  if (result.status === status) return result as Extract<ExecuteSandboxScriptResult, { status: S }>;
  throw new Error(`${result.status} instead of ${status}: ${result.text}`);
}
