import type { HostError } from '@mustard-sandbox/client';
import { RunError } from './errors.ts';
import { waitsForOf } from './ledger.ts';
import type { WaitsFor } from './states.ts';
import type { Loaded, StoredCall, StoredRun, Verdict } from './store/store.ts';
import type { Tools } from './tools.ts';
import type { DecisionOnProposal, RunProblem } from './types.ts';

/** The next step of a run whose script has ended: a call to make, something to wait for, or its end. */
export type Next = { make: StoredCall } | { waitsFor: WaitsFor[] } | { problem: RunProblem | undefined };

/** Whether the script of a run has ended. The calls that it proposed may still have to be made. */
export function isScriptOver({ snapshot, outcome }: StoredRun): boolean {
  return snapshot === undefined && outcome !== undefined && !outcome.startsWith('{"problem":');
}

/** The calls are made one by one, in the order of the script, because a later one may depend on an earlier one. */
export function nextOf(proposed: readonly StoredCall[], now: number): Next {
  for (const call of proposed) {
    if (call.state === 'answered') {
      const { error } = JSON.parse(call.answer as string) as { error?: HostError };
      if (error !== undefined) return { problem: problemOf(proposed, call, error) };
    } else if (call.state === 'ready' && call.notBefore <= now) return { make: call };
    else return { waitsFor: waitsForOf([call]) };
  }
  return { problem: undefined };
}

/**
 * The effect of a decision on the calls of a proposal.
 *
 * @throws {RunError} `not_pending`, `wrong_decision`
 */
export function verdictsOnProposal(
  decision: DecisionOnProposal & { by?: string },
  { run, calls }: Loaded,
  tools: Tools,
): Verdict[] {
  const proposed = calls.filter(({ use }) => use === 'proposed');
  if (!isScriptOver(run))
    throw new RunError('wrong_decision', 'The script has not ended: its proposal is not complete.');
  if (proposed.length === 0 || proposed.some(({ state }) => state !== 'proposed')) {
    throw new RunError('not_pending', 'The run does not wait for a decision on a proposal.');
  }
  const { by } = decision;
  const decidedAt = Date.now();
  return proposed.map((call) => {
    const facts = { ...call.facts, decidedAt, ...(by !== undefined && { by }) };
    const verdict = (to: Verdict['to']): Verdict => ({ call: call.id, from: 'proposed', to });
    if (decision.proposal === 'approve') {
      const told = { ...facts, ruling: 'approved' as const };
      return verdict({ state: tools.next(call.tool), answer: undefined, facts: told });
    }
    const why = decision.why === undefined ? '.' : `: ${decision.why}`;
    const error = { name: 'Error', message: `${call.tool}() was denied${why}`, code: 'capability_denied' };
    const told = { ...facts, ruling: 'denied' as const, answeredAt: decidedAt };
    return verdict({ state: 'answered', answer: JSON.stringify({ error }), facts: told });
  });
}

function problemOf(proposed: readonly StoredCall[], { id, tool, facts }: StoredCall, error: HostError): RunProblem {
  const made = proposed.filter((call) => call.id < id).map((call) => call.id);
  const left = proposed.filter((call) => call.id > id && call.state !== 'answered').map((call) => call.id);
  if (facts.ruling === 'denied') {
    const message = `The proposal of the script was denied, and none of its calls is made. ${error.message}`;
    return { code: 'proposal_denied', message, details: {} };
  }
  const message =
    `Of the calls that the script proposed, ${tool}() failed: ${error.message} ` +
    `The ${made.length} before it were made, and the ${left.length} after it are not.`;
  return { code: 'proposal_failed', message, details: { call: id, made, left } };
}
