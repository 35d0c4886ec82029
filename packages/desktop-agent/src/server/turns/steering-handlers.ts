// The channels of plans, and of going on from an earlier message.
import type { Handlers, steeringRequests } from '../../shared/contract/index.ts';
import type { GoingOn } from './going-on/going-on.ts';
import type { WorkPlans } from './plans/work-plans.ts';

export function steeringHandlers(plans: WorkPlans, goingOn: GoingOn): Pick<Handlers, keyof typeof steeringRequests> {
  return {
    'read-checkpoint': async (ids) => await goingOn.look(ids),
    'go-on-from': async (wanted) => await goingOn.begin(wanted),
    'edit-work-plan': async ({ steps, ...shown }) => await plans.edit(shown, steps),
    'approve-work-plan': async ({ mode, ...shown }) => await plans.approve(shown, mode),
    'reject-work-plan': async (ids) => await plans.reject(ids),
    'end-work-plan': async (ids) => await plans.end(ids),
    'mark-step': async ({ step, isDone, ...ids }) => await plans.mark(ids, step, isDone),
  };
}
