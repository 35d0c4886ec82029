// MCP servers, and the runs of scripts that call their tools. Times are ISO 8601.
import * as z from 'zod';
import { chatId, messageId } from './model.ts';

export const runId = z.string().min(1).max(64);
/** As the person names it. Scripts call its tools by it, with `_` for `-`. */
export const serverName = z
  .string()
  .regex(/^[A-Za-z][A-Za-z0-9_-]{0,39}$/, 'A name has up to 40 letters, digits, - and _, and begins with a letter.');
export const toolAction = z.enum(['allow', 'ask', 'deny']);
export type ToolAction = z.infer<typeof toolAction>;

/** Variables or headers by their names. `null` keeps the value that is stored: values go in and never come out. */
const secrets = z
  .record(z.string().regex(/^[\w-]{1,200}$/, 'A name has letters, digits, - and _.'), z.string().max(20_000).nullable())
  .refine((given) => Object.keys(given).length <= 100, 'There are more than 100.');
const line = z.string().max(10_000);
const ofServer = {
  /** Whether what it says of its tools is believed: then those that say that they only read are not asked about. */
  trustHints: z.boolean(),
  enabled: z.boolean(),
};

/** A server as a person enters it. */
export const serverDraft = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('stdio'),
    command: line.min(1),
    args: z.array(line).max(200),
    env: secrets,
    ...ofServer,
  }),
  z.strictObject({ kind: z.literal('http'), url: line.min(1), headers: secrets, ...ofServer }),
]);
export type ServerDraft = z.infer<typeof serverDraft>;

/** A tool of a server. Its name and its description are the server's, which may lie. */
const serverTool = z.strictObject({
  /** As scripts call it. */
  name: z.string(),
  description: z.string(),
  isReadOnly: z.boolean(),
  /** What the person chose; `null`: a person is asked, or not, as `trustHints` says. */
  action: toolAction.nullable(),
});
export type ServerTool = z.infer<typeof serverTool>;

/** A server as the page knows it: `secrets` are the names of its variables or headers, without their values. */
export const server = z.strictObject({
  name: z.string(),
  kind: z.enum(['stdio', 'http']),
  command: z.string(),
  args: z.array(z.string()),
  url: z.string(),
  secrets: z.array(z.string()),
  ...ofServer,
  state: z.enum(['off', 'idle', 'connecting', 'connected', 'failed']),
  /** Why it failed. */
  error: z.string(),
  tools: z.array(serverTool),
});
export type Server = z.infer<typeof server>;

/** A run of a script that calls tools, with what the cards show of it: `record` and `calls` are theirs. */
export const toolRun = z.strictObject({
  runId,
  chatId,
  messageId,
  script: z.string(),
  state: z.enum(['running', 'waiting', 'completed', 'failed', 'cancelled', 'expired']),
  /** Why it waits, where no call of it says so. */
  waitsFor: z.array(z.string()),
  calls: z.array(z.unknown()),
  /** Once it has ended. */
  record: z.unknown().nullable(),
  at: z.string(),
  forkOf: z.strictObject({ runId, call: z.int() }).nullable(),
  /** Whether the model has its result, or cannot have it. */
  isTold: z.boolean(),
});
export type ToolRun = z.infer<typeof toolRun>;

/** A run that waits for a person, in whatever chat. */
export const waitingRun = z.strictObject({
  runId,
  chatId,
  appId: z.string(),
  app: z.string(),
  chat: z.string(),
  /** Whose calls wait. */
  tools: z.array(z.string()),
  since: z.string(),
});
export type WaitingRun = z.infer<typeof waitingRun>;

export const callDecision = z.enum(['allow', 'allow-run', 'allow-always', 'deny', 'not-done', 'try-again']);
export type CallDecision = z.infer<typeof callDecision>;
/** Another answer of a past call. */
export const forkAnswer = z.union([
  z.strictObject({ value: z.unknown() }),
  z.strictObject({ error: z.string().max(100_000) }),
]);
