// The plan that an answer of the mode Plan ends with, and what a person does with it.
import * as z from 'zod';

/** The most steps of a plan. A person would not read more before they approve it. */
export const maxSteps = 50;
/** In UTF-16 units. */
export const maxStepLength = 500;

/** One line, not empty. */
export const stepText = z.string().min(1).max(maxStepLength);

export const workPlan = z.strictObject({
  /** `ended`: it was approved, and the person has ended it before all of its steps were done. */
  state: z.enum(['pending', 'approved', 'rejected', 'ended']),
  steps: z
    .array(
      z.strictObject({
        text: stepText,
        /** What the person says about the step. It overrides what answers say. */
        marked: z.enum(['open', 'done']).optional(),
      }),
    )
    .min(1)
    .max(maxSteps),
  /** How many further steps the model wrote. */
  more: z.int().min(0),
  /** How often the person has changed the plan. An approval names the revision that the person saw. */
  revision: z.int().min(0),
});
export type WorkPlan = z.infer<typeof workPlan>;

/** The mode in which an approved plan is followed. */
export const followingMode = z.enum(['build', 'agent']);
export type FollowingMode = z.infer<typeof followingMode>;
