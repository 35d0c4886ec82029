import { copyFile, mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Answers } from './answers.ts';
import { RunError } from './errors.ts';
import type { Loaded, StoredCall } from './store/store.ts';
import type { ForkOptions } from './types.ts';

/**
 * The ledger of a fork: all calls that the script had begun before it got the answer that is changed. Later calls may
 * depend on that answer, so they are left out.
 *
 * @throws {RunError} `not_pending`, `wrong_decision`
 */
export function callsBefore(
  { calls }: Loaded,
  { call: id }: ForkOptions,
): { before: StoredCall[]; changed: StoredCall } {
  const changed = calls.find((call) => call.id === id);
  if (changed === undefined || !hasAnswer(changed)) {
    throw new RunError('not_pending', `Call ${id} of the run has no answer that could be changed.`);
  }
  const { givenIn = Infinity } = changed.facts;
  const before = calls.filter((call) => call.id !== id && (call.facts.begunIn ?? 0) < givenIn);
  const unsure = before.find(({ state }) => state === 'under_way' || state === 'unknown');
  if (unsure !== undefined) {
    throw new RunError('wrong_decision', `The outcome of call ${unsure.id} is not known. Decide on it first.`);
  }
  return { before: before.filter(hasAnswer).map(kept), changed: kept(changed) };
}

/**
 * Copies the large answers that the new run reads.
 *
 * @throws {RunError} `invalid_request` when one is gone
 */
export async function copyFiles(
  answers: Answers,
  calls: readonly StoredCall[],
  from: string,
  to: string,
): Promise<void> {
  for (const { id, facts } of calls) {
    if (facts.file === undefined) continue;
    const target = answers.pathOf(to, facts.file);
    await mkdir(dirname(target), { recursive: true, mode: 0o700 });
    await copyFile(answers.pathOf(from, facts.file), target).catch((cause: unknown) => {
      const message = `The large answer to call ${id} is gone: it is removed when its run ends. Fork at this call or before it.`;
      throw new RunError('invalid_request', message, { cause });
    });
  }
}

function hasAnswer({ state, facts }: StoredCall): boolean {
  return state === 'answered' || facts.standIn !== undefined;
}

/**
 * What a person allowed for one run is not allowed for the next, and calls that one run proposes are proposed again by
 * the next.
 */
function kept(call: StoredCall): StoredCall {
  const { remembered: _, ...facts } = call.facts;
  if (call.state === 'answered') return { ...call, use: 'kept', facts };
  const { ruling: __, by: ___, decidedAt: ____, ...undecided } = facts;
  return { ...call, use: 'kept', state: 'proposed', notBefore: 0, facts: undecided };
}
