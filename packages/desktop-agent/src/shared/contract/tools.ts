// MCP servers, and the runs of scripts that call their tools. Times are ISO 8601.
import * as z from 'zod';
import { chatId, messageId } from './model.ts';

export const runId = z.string().min(1).max(64);
/** The person's name for the server. Scripts call its tools by this name, with `_` for `-`. */
export const serverName = z
  .string()
  .regex(/^[A-Za-z][A-Za-z0-9_-]{0,39}$/, 'A name has up to 40 letters, digits, - and _, and begins with a letter.');
export const toolAction = z.enum(['allow', 'ask', 'deny']);
export type ToolAction = z.infer<typeof toolAction>;

/** Variables or headers by name. `null` keeps the stored value, because values never come out. */
const secrets = z
  .record(z.string().regex(/^[\w-]{1,200}$/, 'A name has letters, digits, - and _.'), z.string().max(20_000).nullable())
  .refine((given) => Object.keys(given).length <= 100, 'There are more than 100.');
const line = z.string().max(10_000);
const ofServer = {
  /** Whether the server's hints on its tools are believed. Then nobody is asked about tools that say that they only read. */
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

/** A tool of a server. Its name and description come from the server, which may lie. */
const serverTool = z.strictObject({
  /** The name in scripts. */
  name: z.string(),
  description: z.string(),
  isReadOnly: z.boolean(),
  /** What the person chose; `null` leaves it to `trustHints` whether the person is asked. */
  action: toolAction.nullable(),
});
export type ServerTool = z.infer<typeof serverTool>;

/** A server as the page gets it: `secrets` are the names of its variables or headers, without values. */
export const server = z.strictObject({
  name: z.string(),
  kind: z.enum(['stdio', 'http']),
  command: z.string(),
  args: z.array(z.string()),
  url: z.string(),
  secrets: z.array(z.string()),
  ...ofServer,
  state: z.enum(['off', 'idle', 'connecting', 'connected', 'failed']),
  /** Why the server could not be connected. */
  error: z.string(),
  tools: z.array(serverTool),
});
export type Server = z.infer<typeof server>;

/** A run of a script that calls tools. `record` and `calls` are in the form of the cards. */
export const toolRun = z.strictObject({
  runId,
  chatId,
  messageId,
  script: z.string(),
  state: z.enum(['running', 'waiting', 'completed', 'failed', 'cancelled', 'expired']),
  /** Why the run waits, if no call of it shows that. */
  waitsFor: z.array(z.string()),
  calls: z.array(z.unknown()),
  /** Set once the run has ended. */
  record: z.unknown().nullable(),
  at: z.string(),
  forkOf: z.strictObject({ runId, call: z.int() }).nullable(),
  /** Whether the model has the run's result, or can never have it. */
  isTold: z.boolean(),
});
export type ToolRun = z.infer<typeof toolRun>;

/** A run in any chat that waits for a person. */
export const waitingRun = z.strictObject({
  runId,
  chatId,
  appId: z.string(),
  app: z.string(),
  chat: z.string(),
  /** The tools whose calls wait. */
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
