// The messages between the page of an app and the page of the agent, across their origins. Anything in the app can send
// them too, so nothing is believed: it is shown as text, and only a person sends it to a model.
import * as z from 'zod';

const text = z.string().max(4_000);
/** From 1. */
const line = z.int().min(1).max(10_000_000);

/** An element that a person picked. */
const picked = z.strictObject({
  type: z.literal('picked'),
  selector: z.string().max(500),
  /** The beginning of its text. */
  text: z.string().max(100),
  /** The name of the component in the framework. */
  component: z.string().max(200).optional(),
  /** The file as the framework names it: absolute, or relative to the app. */
  file: z.string().max(1_000).optional(),
  line: line.optional(),
});
export type Picked = z.infer<typeof picked>;

export const fromPreview = z.discriminatedUnion('type', [
  /** The first message, to whoever frames the page. Nothing else is sent before the answer. */
  z.strictObject({ type: z.literal('ready') }),
  z.strictObject({ type: z.literal('at'), path: z.string().startsWith('/').max(4_000) }),
  /** The browser does not let the frame store anything. */
  z.strictObject({ type: z.literal('no-storage') }),
  z.strictObject({ type: z.literal('issue'), kind: z.enum(['page', 'console', 'network']), text }),
  picked,
  z.strictObject({ type: z.literal('pick-ended') }),
]);
export type FromPreview = z.infer<typeof fromPreview>;

/** The messages of the agent's page. */
export type ToPreview = { type: 'hello' } | { type: 'back' } | { type: 'pick'; on: boolean };
