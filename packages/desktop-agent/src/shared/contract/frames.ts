// The frames of the socket, as JSON, one in each message. The first frame of a page is `hello`, which the server answers with
// `ready` or by closing. After any other frame it closes the socket, because such a peer is not a page of ours.
import * as z from 'zod';
import { agentErrorCodes } from './errors.ts';

/**
 * `ticket` is in the address with which a browser is started, where other users of the machine can read it. It opens one
 * socket, once. `ready` then has the token.
 */
export const hello = z.union([
  z.strictObject({ type: z.literal('hello'), token: z.string().max(200) }),
  z.strictObject({ type: z.literal('hello'), ticket: z.string().max(200) }),
]);

export const pageFrame = z.strictObject({
  type: z.literal('request'),
  id: z.int(),
  /** Any name is accepted here, so that an unknown channel gets an answer that says so. */
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
/** `GET ?chat=…&path=…` with the token downloads a file of a chat's workspace, or with `from=saved` a script's saved file. */
export const workspacePath = '/workspace';
