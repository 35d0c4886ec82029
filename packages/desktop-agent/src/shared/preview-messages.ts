// What the page of an app and the page of the agent say to each other across their origins. Anything in the app can say
// the same, so nothing is believed: it is shown as text, and sent to a model only by a person.
import * as z from 'zod';

const text = z.string().max(4_000);
/** From 1. */
const line = z.int().min(1).max(10_000_000);

/** An element that a person picked. */
const picked = z.strictObject({
  type: z.literal('picked'),
  selector: z.string().max(500),
  /** Its beginning. */
  text: z.string().max(100),
  /** By the framework. */
  component: z.string().max(200).optional(),
  /** As the framework says it: absolute, or relative to the app. */
  file: z.string().max(1_000).optional(),
  line: line.optional(),
});
export type Picked = z.infer<typeof picked>;

export const fromPreview = z.discriminatedUnion('type', [
  /** The first one, to whoever has the frame. Nothing else is said before the answer. */
  z.strictObject({ type: z.literal('ready') }),
  z.strictObject({ type: z.literal('at'), path: z.string().startsWith('/').max(4_000) }),
  /** The browser lets a frame store nothing. */
  z.strictObject({ type: z.literal('no-storage') }),
  z.strictObject({ type: z.literal('issue'), kind: z.enum(['page', 'console', 'network']), text }),
  picked,
  z.strictObject({ type: z.literal('pick-ended') }),
]);
export type FromPreview = z.infer<typeof fromPreview>;

/** What the agent's page says. */
export type ToPreview = { type: 'hello' } | { type: 'back' } | { type: 'pick'; on: boolean };
