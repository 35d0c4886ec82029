import type { Handlers, steeringRequests } from '../../../shared/contract/index.ts';
import type { WorkPlans } from './work-plans.ts';

export function planHandlers(plans: WorkPlans): Pick<Handlers, keyof typeof steeringRequests> {
  return {
    'edit-work-plan': async ({ steps, ...shown }) => await plans.edit(shown, steps),
    'approve-work-plan': async ({ mode, ...shown }) => await plans.approve(shown, mode),
    'reject-work-plan': async (ids) => await plans.reject(ids),
    'end-work-plan': async (ids) => await plans.end(ids),
    'mark-step': async ({ step, isDone, ...ids }) => await plans.mark(ids, step, isDone),
  };
}
