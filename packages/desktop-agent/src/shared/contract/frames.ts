// What goes over the socket, as JSON, one frame a message. The first frame of a page is `hello`; the server answers `ready` or
// closes. Everything else is closed unanswered: a peer that does not speak this is no page of ours.
import * as z from 'zod';
import { agentErrorCodes } from './errors.ts';

/**
 * `ticket` stands in the address that a browser is started with, where other users of the machine can read it. It opens
 * one socket, once; `ready` then gives the token.
 */
export const hello = z.union([
  z.strictObject({ type: z.literal('hello'), token: z.string().max(200) }),
  z.strictObject({ type: z.literal('hello'), ticket: z.string().max(200) }),
]);

export const pageFrame = z.strictObject({
  type: z.literal('request'),
  id: z.int(),
  /** One that is not on the list gets an answer that says so. */
  channel: z.string().max(100),
  params: z.unknown(),
});
export type PageFrame = z.infer<typeof pageFrame>;

export const mainFrame = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('ready'), token: z.string() }),
  z.strictObject({ type: z.literal('result'), id: z.int(), result: z.unknown() }),
  z.strictObject({
    type: z.literal('error'),
    id: z.int(),
    error: z.strictObject({ code: z.enum(agentErrorCodes), message: z.string() }),
  }),
  z.strictObject({ type: z.literal('event'), event: z.string(), data: z.unknown() }),
]);
export type MainFrame = z.infer<typeof mainFrame>;

/** Why the server closes a socket, as WebSocket close codes. After `unauthorized` a page does not try again. */
export const closeCodes = { unauthorized: 4401, malformed: 4400, slow: 4408, closing: 1001 } as const;
export const socketPath = '/socket';
export const uploadPath = '/uploads';
/** `GET ?chat=…&path=…` downloads a file of the workspace of a chat, by the token; with `from=saved` one that a script saved. */
export const workspacePath = '/workspace';
