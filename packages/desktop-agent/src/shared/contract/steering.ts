// How a person steers a chat beside writing messages.
import * as z from 'zod';
import * as m from './model.ts';
import { followingMode, maxSteps, stepText } from './work-plan.ts';

const ofMessage = z.strictObject({ chatId: m.chatId, messageId: m.messageId });
const ofRevision = ofMessage.extend({ revision: z.int() });

export const steeringRequests = {
  /** Changes the steps of a plan before it is approved. Fails with `changed` when it has another revision. */
  'edit-work-plan': {
    params: ofRevision.extend({ steps: z.array(stepText).min(1).max(maxSteps) }),
    result: m.message,
  },
  /**
   * Changes the mode of the chat, and sends a message to follow the plan: both or neither. Fails with `changed` when the plan
   * has another revision, or was rejected.
   */
  'approve-work-plan': { params: ofRevision.extend({ mode: followingMode }), result: m.message },
  'reject-work-plan': { params: ofMessage, result: m.message },
  /** Ends an approved plan, so that the model is no longer told of it. */
  'end-work-plan': { params: ofMessage, result: m.message },
  /** Marks a step of an approved plan, from 0, as done or not done. */
  'mark-step': { params: ofMessage.extend({ step: z.int().min(0), isDone: z.boolean() }), result: m.message },
} as const;
