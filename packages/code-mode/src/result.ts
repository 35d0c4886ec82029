import type { SandboxValue } from '@mustard-sandbox/client';
import { explainFailure } from '@mustard-sandbox/agent-tool';
import { isErrorCode, SandboxError } from '@mustard-sandbox/client';
import { oneLine, shorten } from '@mustard-sandbox/protocol';
import type { Run, RunCall, RunProblem, WaitsFor } from '@mustard-sandbox/runs';

/** The state of a script. `text` is for the model. */
export type CodeModeResult = { run: string; text: string } & (
  | { status: 'completed'; value: SandboxValue | undefined }
  /**
   * `calls` wait for what `waitsFor` says; `resume` answers them. `value` is the value of a script that ended with a
   * proposal.
   */
  | { status: 'waiting'; waitsFor: WaitsFor[]; calls: RunCall[]; value?: SandboxValue }
  /** It failed, was cancelled, or expired before it ended. */
  | { status: 'failed' | 'cancelled' | 'expired'; problem?: RunProblem }
);

/** @param functions names of the tools that the script could call */
export function resultOf(run: Run, script: string, functions: readonly string[], outputBytes: number): CodeModeResult {
  const { id, state, value, problem, waitsFor, calls } = run;
  if (state === 'completed') {
    return { status: 'completed', run: id, value, text: cut(JSON.stringify(value) ?? 'undefined', outputBytes) };
  }
  if (state === 'waiting' || state === 'running') {
    const soFar = value === undefined ? {} : { value };
    return { status: 'waiting', run: id, waitsFor, calls, ...soFar, text: waitingText(waitsFor, calls) };
  }
  const text = problem === undefined ? `The script was ${state}.` : failureText(problem, script, functions);
  return { status: state, run: id, text, ...(problem !== undefined && { problem }) };
}

/** The result of a script that was refused before it ran. */
export function refusedResult(run: string, findings: readonly object[], text: string): CodeModeResult {
  const message = `The script was not run, and nothing was called: it calls tools in a way that would fail.\n${text}`;
  return { status: 'failed', run, text: message, problem: { code: 'check_failed', message, details: { findings } } };
}

function cut(text: string, most: number): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= most) return text;
  const head = new TextDecoder().decode(bytes.subarray(0, most), { stream: true });
  return `${head}… (${bytes.length} bytes, cut after ${most}: return less)`;
}

const words: Record<WaitsFor, string> = {
  approvals: 'the approval of a person',
  proposal: 'the approval of the calls that it proposes',
  calls: 'an answer from outside',
  time: 'a time',
  outcomes: 'an answer to whether a call was done that was being made when the host stopped',
  restart: 'its host to start it again',
};

function waitingText(waitsFor: readonly WaitsFor[], calls: readonly RunCall[]): string {
  const what = waitsFor.map((each) => words[each]).join(' and ') || 'its host';
  const shown = calls.map(({ tool, args }) => `- ${tool}(${shorten(oneLine(JSON.stringify(args[0]) ?? ''), 300)})`);
  return [
    `The script waits for ${what}. It goes on by itself, and its result comes then. Do not run it again.`,
    ...shown.slice(0, 20),
  ].join('\n');
}

function failureText({ code, message, details }: RunProblem, script: string, functions: readonly string[]): string {
  if (!isErrorCode(code)) return `${code}: ${message}`;
  return explainFailure(new SandboxError(code, message, { details }), { script, hostFunctions: functions });
}
