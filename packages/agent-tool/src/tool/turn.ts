import * as z from 'zod';
import { emit, type AgentEventListener } from '../events.ts';
import { parse } from '../options.ts';

/** One turn of a local agent that came with attachments: from the user's message to the end of the answer. */
export interface AttachmentTurn extends Disposable {
  /** A tool of the host's own has looked at this attachment. With or without `attachments:` before the name. */
  markRead(name: string): void;
  /** A script was not allowed to run: then it is no fault of the model that nothing was read. */
  markDenied(): void;
  /** The turn is over: tells `sandbox.tool.unused_with_attachment` when nothing of it was looked at and no script denied. Once; again does nothing. */
  end(): void;
}

const prefix = 'attachments:';

/** For the user. */
const unusedMessage = "Your model didn't read the file — try a larger model or paste the contents inline.";

const turnOptionsSchema = z.strictObject({
  attachments: z.array(z.string().min(1)),
  events: z.custom<AgentEventListener>((value) => typeof value === 'function', 'must be a function').optional(),
});

/**
 * Watches whether any of the files that came with a message is read. Pass it to `execute` as `turn`, and say
 * `markRead` in other tools that read attachments. Not for a chat without tools: there the model gets the contents.
 *
 * @param options.attachments the names of the message's attachments; for none nothing is ever told
 * @throws {SandboxError} `invalid_request`
 */
export function createAttachmentTurn(options: z.input<typeof turnOptionsSchema>): AttachmentTurn {
  const { attachments, events } = parse(turnOptionsSchema, options, 'createAttachmentTurn()');
  const names = attachments.map(withoutPrefix);
  const unread = new Set(names);
  let over = false;
  let denied = false;
  const end = (): void => {
    if (over) return;
    over = true;
    if (denied || names.length === 0 || unread.size < new Set(names).size) return;
    emit(events, { type: 'sandbox.tool.unused_with_attachment', attachments: names, message: unusedMessage });
  };
  return {
    markRead: (name) => void unread.delete(withoutPrefix(name)),
    markDenied: () => void (denied = true),
    end,
    [Symbol.dispose]: end,
  };
}

function withoutPrefix(name: string): string {
  return name.startsWith(prefix) ? name.slice(prefix.length) : name;
}
