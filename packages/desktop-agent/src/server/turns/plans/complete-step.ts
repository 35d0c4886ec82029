// complete_step: ticks off a step of the plan that is followed. It changes nothing else.
import { tool, type ToolSet } from 'ai';
import { z } from 'zod';
import { maxSteps } from '../../../shared/contract/index.ts';
import type { Calls } from '../calls.ts';
import type { Turn } from '../turn.ts';
import type { Ticks } from './followed.ts';

/** Empty where no plan is followed. */
export function stepTools({ signal }: Turn, ticks: Ticks, calls: Calls): ToolSet {
  if (ticks.isEmpty) return {};
  return {
    complete_step: tool({
      description: 'Ticks off a step of the plan that the person approved. Call it when the step is done, not before.',
      inputSchema: z.strictObject({ step: z.int().min(1).max(maxSteps).describe('Its number in the plan.') }),
      execute: async ({ step }, { toolCallId }) => {
        await calls.seen(toolCallId, signal);
        return ticks.tick(step);
      },
    }),
  };
}
