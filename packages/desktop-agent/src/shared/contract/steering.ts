// How a person steers a chat beside writing messages.
import * as z from 'zod';
import * as m from './model.ts';
import { followingMode, maxSteps, stepText } from './work-plan.ts';

const ofMessage = z.strictObject({ chatId: m.chatId, messageId: m.messageId });
const ofRevision = ofMessage.extend({ revision: z.int() });

/** What it means to take the files back to how they were when a message was sent. */
const wayBack = z.strictObject({
  /** The version of that time. */
  commit: m.commit,
  subject: z.string(),
  at: z.string(),
  /** Whether the branch has it. A person may have gone to another one. */
  isOfBranch: z.boolean(),
  /** The first files that become others, by path; `more`: how many there are beyond those. */
  changed: z.array(z.strictObject({ path: z.string(), change: z.enum(['added', 'changed', 'deleted']) })),
  more: z.int(),
  /** How many files the person has changed, which are committed before. */
  own: z.int(),
  /** Is given back with the decision: nothing is done where it would be something else by now. */
  seen: z.string().max(100),
});
export type WayBack = z.infer<typeof wayBack>;

export const steeringRequests = {
  /** What going on from a message of the person would do. Nothing is changed. */
  'read-checkpoint': {
    params: ofMessage,
    result: z.strictObject({
      /** How many messages were before it. */
      before: z.int(),
      /** `null` where the files cannot go back, for the reason `why`; a sentence. */
      wayBack: wayBack.nullable(),
      why: z.string(),
    }),
  },
  /**
   * Makes a chat with the messages before one, takes the files back if `back` says so, and sends the text there. The chat of
   * the message stays as it is. `attachments`: those of the message that are sent again. `undo`: the commit by which the files
   * went back.
   */
  'go-on-from': {
    params: ofMessage.extend({
      text: z.string().max(1_000_000),
      attachments: z.array(z.string()).max(100),
      back: z.strictObject({ commit: m.commit, seen: z.string().max(100) }).nullable(),
    }),
    result: z.strictObject({ chat: m.chat, undo: m.commit.nullable() }),
  },
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
