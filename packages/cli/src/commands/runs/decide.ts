import { userInfo } from 'node:os';
import type { Decision, DecisionOnProposal, Run, RunCall } from '@mustard-sandbox/runs';
import { UsageError } from '../../failure.ts';
import type { Action, RunsFlags } from './flags.ts';

type Deciding = Extract<Action, 'approve' | 'deny' | 'answer'>;

const states = { approve: 'approval', deny: 'approval', answer: 'unknown' } as const;

/**
 * The decisions that a command line stands for.
 *
 * @param calls numbers as typed; without numbers, the one call that waits
 * @throws {UsageError}
 */
export function decisionsOf(action: Deciding, run: Run, calls: readonly string[], flags: RunsFlags): Decision[] {
  const by = flags.by ?? userName();
  if (action !== 'answer' && run.waitsFor.includes('proposal')) return [{ ...onProposal(action, calls, flags), by }];
  const what = decisionOf(action, flags);
  return meant(action, run, calls).map((id) => ({ id, ...what, by }) as Decision);
}

/** A proposal is decided as a whole. */
function onProposal(
  action: 'approve' | 'deny',
  calls: readonly string[],
  { forRun, always, why }: RunsFlags,
): DecisionOnProposal {
  if (calls.length > 0 || forRun === true || always === true) {
    throw new UsageError(`runs ${action}: the calls of a proposal are decided together.`, 'leave out their numbers');
  }
  if (action === 'approve') return { proposal: 'approve' };
  return { proposal: 'deny', ...(why !== undefined && { why }) };
}

function meant(action: Deciding, run: Run, calls: readonly string[]): number[] {
  if (calls.length > 0) return calls.map(numberOf);
  const waiting = run.calls.filter(
    ({ state }) => state === states[action] || (action === 'answer' && state === 'external'),
  );
  if (waiting.length === 1) return [(waiting[0] as RunCall).id];
  if (waiting.length === 0) throw new UsageError(`runs ${action}: the run ${run.id} has no call that waits for that.`);
  const numbers = waiting.map(({ id, tool }) => `${id} (${tool})`).join(', ');
  throw new UsageError(
    `runs ${action}: ${waiting.length} calls wait: ${numbers}.`,
    'write their numbers after the run',
  );
}

function numberOf(text: string): number {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new UsageError(`'${text}' is no number of a call.`);
}

function decisionOf(action: Deciding, { forRun, always, why, value, outcome }: RunsFlags): object {
  if (action === 'deny') return { deny: why ?? 'a person said no' };
  if (action === 'approve') {
    if (forRun === true && always === true)
      throw new UsageError('--always goes further than --for-run: use one of them.');
    return { approve: true, ...(always === true ? { remember: 'always' } : forRun === true && { remember: 'run' }) };
  }
  if ((value === undefined) === (outcome === undefined)) {
    throw new UsageError('runs answer: needs either --value JSON or --outcome.');
  }
  return value === undefined
    ? { outcome: outcome === 'not-done' ? 'not_done' : 'try_again' }
    : { value: parsed(value) };
}

function parsed(value: string): unknown {
  try {
    return JSON.parse(value);
  } catch {
    throw new UsageError(`--value: '${value}' is not JSON.`, `a text needs its quotes: '"done"'`);
  }
}

function userName(): string {
  try {
    return userInfo().username;
  } catch {
    // The system does not know this user, as in a container.
    return 'somebody at the command line';
  }
}
