import { AgentError, type FileChange } from '../../shared/contract/index.ts';
import { inWorker } from '../worker/index.ts';
import { applyPlan, type Applied, type ApplyOptions } from './apply.ts';
import type { Change } from './plan.ts';

/**
 * Makes a change of files by hand. It has the same rules, journal and commit as the changes of an answer, but no proposal.
 *
 * @throws {AgentError} `not_found`, `changed` for a name that is taken, `unsafe_path`, and as `applyPlan`
 */
export async function changeFile(
  appPath: string,
  change: FileChange,
  options: Pick<ApplyOptions, 'signal'> = {},
): Promise<Applied> {
  const { message, changes } = wantedBy(change);
  const wanted = { summary: message, changes, dependencies: [], commands: [] };
  const { plan, proposal } = await inWorker('propose', [appPath, wanted], options);
  if (plan === null) throw new AgentError('unsafe_path', proposal.error ?? 'This cannot be done.');
  const path = change.type === 'rename' ? change.from : change.path;
  if (proposal.leftOut !== undefined) {
    throw new AgentError(
      'unsafe_path',
      `Not all of ${path} may be changed: ${proposal.leftOut.join(', ')}. Nothing was done.`,
    );
  }
  const existed = Object.values(plan.base).some((hash) => hash !== null);
  if (change.type === 'create' && existed) throw new AgentError('changed', `There is already a file ${path}.`);
  if (change.type === 'delete' && !existed) throw new AgentError('not_found', `The file ${path} no longer exists.`);
  if (plan.effects.length === 0) throw new AgentError('unsafe_path', 'Both names are the same.');
  return await applyPlan(appPath, plan, { ...options, message });
}

function wantedBy(change: FileChange): { message: string; changes: Change[] } {
  switch (change.type) {
    case 'create':
      return {
        message: `Create ${change.path}`,
        changes: [{ type: 'write', path: change.path, content: '', exact: true }],
      };
    case 'rename':
      return { message: `Rename ${change.from} to ${change.to}`, changes: [change] };
    case 'delete':
      return { message: `Delete ${change.path}`, changes: [change] };
  }
}
