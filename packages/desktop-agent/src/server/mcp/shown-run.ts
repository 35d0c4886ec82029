// A run as the page has it: with what the cards show.
import { isErrorCode, type ErrorCode } from '@mustard-sandbox/client';
import type { ScriptRecord } from '@mustard-sandbox/agent-tool';
import { shorten } from '@mustard-sandbox/protocol';
import type { Loaded, RunProblem, StoredCall } from '@mustard-sandbox/runs';
import type { ToolRun } from '../../shared/contract/index.ts';
import type { ToolRunRow } from './tool-run-store.ts';

/** Of very many calls the page gets the last ones, and those that wait. */
const mostCalls = 200;
/** What a call that waits is asked about is shown whole, up to a size that no person reads. */
const mostAsked = 200_000;
const mostShown = 4_000;
const mostResult = 20_000;

/** @param script that of the run, which is sealed in the store */
export function shownRun({ run, calls }: Loaded, script: string, { chatId, messageId, isTold }: ToolRunRow): ToolRun {
  const { id, state, waitsFor, createdAt, forkOf } = run;
  const first = calls.length - mostCalls;
  const shown = calls.filter((call, index) => index >= first || isAsked(call));
  return {
    runId: id,
    chatId,
    messageId,
    script,
    state,
    waitsFor,
    calls: shown.map(shownCall),
    record: state === 'running' || state === 'waiting' ? null : recordOf({ run, calls }, script),
    at: new Date(createdAt).toISOString(),
    forkOf: forkOf === undefined ? null : { runId: forkOf.run, call: forkOf.call },
    isTold,
  };
}

function isAsked({ state, use }: StoredCall): boolean {
  return (state === 'approval' || state === 'unknown') && use === 'open';
}

/** A `ScriptCall` of the cards. */
function shownCall(call: StoredCall): Record<string, unknown> {
  const { id, tool, args, line, state, answer, facts } = call;
  const { ruling, by, answerBytes, madeAt, answeredAt, rule } = facts;
  const given =
    answer === undefined || answer.length > mostShown ? undefined : (JSON.parse(answer) as { value?: unknown });
  return {
    id,
    tool,
    args: argumentsOf(args, isAsked(call) ? mostAsked : mostShown),
    state,
    ...(line !== undefined && { line }),
    ...(answer !== undefined && { failed: answer.startsWith('{"error":') }),
    ...(given !== undefined && 'value' in given && { answer: given.value }),
    ...(ruling !== undefined && { ruling }),
    ...(by !== undefined && { by }),
    ...(answerBytes !== undefined && { answerBytes }),
    ...(madeAt !== undefined && answeredAt !== undefined && { durationMs: answeredAt - madeAt }),
    ...(state === 'approval' && rule !== undefined && { rule }),
  };
}

function argumentsOf(args: string, most: number): unknown[] {
  return args.length > most ? [shorten(args, most)] : (JSON.parse(args) as unknown[]);
}

/** What it gave, or why it gave nothing, as a record of the agent tool has it. */
function recordOf({ run, calls }: Pick<Loaded, 'run' | 'calls'>, script: string): ScriptRecord {
  const { id, state, createdAt, updatedAt, outcome } = run;
  const ended = (outcome === undefined ? {} : JSON.parse(outcome)) as { value?: unknown; problem?: RunProblem };
  const common = {
    version: 1 as const,
    runId: id,
    script,
    at: new Date(createdAt).toISOString(),
    stats: { durationMs: Math.max(0, updatedAt - createdAt), hostCalls: calls.length },
  };
  if (state === 'completed') {
    const whole = ended.value === undefined ? '' : JSON.stringify(ended.value);
    const text = shorten(whole, mostResult);
    const size = { totalBytes: Buffer.byteLength(whole), shownBytes: Buffer.byteLength(text) };
    return { ...common, result: { text, truncated: text !== whole, empty: whole === '', ...size } };
  }
  const { code, message } = ended.problem ?? { code: 'cancelled', message: `The script was ${state}.` };
  const known: ErrorCode = isErrorCode(code) ? code : 'script_error';
  return { ...common, error: { code: known, message, text: `${code}: ${message}` } };
}
