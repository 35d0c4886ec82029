import * as z from 'zod';
import { emit, type AgentEventListener } from '../events.ts';
import { parse } from '../options.ts';

/** One turn of a local agent that came with attachments, from the user's message to the end of the answer. */
export interface AttachmentTurn extends Disposable {
  /** Call this when a tool of the host has read this attachment. The name may begin with `attachments:`. */
  markRead(name: string): void;
  /** Call this when a script was not allowed to run. The model is then not to blame if nothing was read. */
  markDenied(): void;
  /**
   * Ends the turn. Emits `sandbox.tool.unused_with_attachment` if no attachment was read and no script was denied. A
   * second call does nothing.
   */
  end(): void;
}

const prefix = 'attachments:';

/** The message for the user. */
const unusedMessage = "Your model didn't read the file — try a larger model or paste the contents inline.";

const turnOptionsSchema = z.strictObject({
  attachments: z.array(z.string().min(1)),
  events: z.custom<AgentEventListener>((value) => typeof value === 'function', 'must be a function').optional(),
});

/**
 * Watches whether any file that came with a message is read. Pass it to `execute` as `turn`, and call `markRead` in other
 * tools that read attachments. A chat without tools does not need it, because there the model gets the contents.
 *
 * @param options.attachments the names of the message's attachments; without any, no event is emitted
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
