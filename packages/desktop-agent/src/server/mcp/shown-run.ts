// Makes a run into the shape that the page's cards show.
import { isErrorCode, type ErrorCode } from '@mustard-sandbox/client';
import type { ScriptRecord } from '@mustard-sandbox/agent-tool';
import { shorten } from '@mustard-sandbox/protocol';
import type { Loaded, RunProblem, StoredCall } from '@mustard-sandbox/runs';
import type { ToolRun } from '../../shared/contract/index.ts';
import type { ToolRunRow } from './tool-run-store.ts';

/** The most calls that the page gets. If there are more, it gets the last ones and those that wait. */
const mostCalls = 200;
/** The most characters of the arguments of a waiting call. The person sees all of them, up to a size that nobody reads. */
const mostAsked = 200_000;
const mostShown = 4_000;
const mostResult = 20_000;

/** @param script the script of the run, which the store has only sealed */
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

/** The call as a `ScriptCall` of the cards. */
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

/** The result of the run, or why it has none, as a record of the agent tool. */
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
