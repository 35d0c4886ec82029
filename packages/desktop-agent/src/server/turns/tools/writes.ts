// write_file, edit_file, rename_file, delete_file: none touches the app. What a person allows goes into the proposal of the message.
import { tool, type ToolSet } from 'ai';
import type { Change } from '../../changes/index.ts';
import type { Calls } from '../calls.ts';
import type { Turn } from '../turn.ts';
import { wordsOf } from '../words.ts';
import type { PendingChanges } from './pending-changes.ts';
import { ToolLine } from './tool-part.ts';
import { changeOfEdit, proposed, writeCalls } from './write-calls.ts';

const declined =
  'Not allowed: the person declined this change. Do not try it again in this turn: go on without it, or ask the person how to proceed.';

export function writeTools(turn: Turn, pending: PendingChanges, calls: Calls): ToolSet {
  const asking = new Asking(turn);
  const call = async (callId: string, name: string, title: string, change: Change): Promise<string> => {
    await calls.seen(callId, turn.signal);
    const line = new ToolLine(turn.live, name, title);
    // One after the other: each is looked at with those before it, and a person is asked one thing at a time.
    return await asking.inTurn(async () => {
      try {
        const { files, error, keep } = await pending.look(change);
        if (error !== undefined) {
          line.change({ state: 'failed', detail: error });
          return `It failed: ${error}`;
        }
        if (!(await asking.mayDo(title, files))) {
          line.change({ state: 'denied' });
          return declined;
        }
        keep();
        line.change({ state: 'done', detail: sizeOf(files) });
        return proposed;
      } catch (error) {
        line.fail(wordsOf(error), turn.signal);
        turn.signal.throwIfAborted();
        return `It failed: ${wordsOf(error)}`;
      }
    });
  };
  return {
    write_file: tool({
      description: `Proposes a file with this content, new or instead of what is there. ${proposed}`,
      inputSchema: writeCalls.write_file,
      execute: async ({ path, content }, { toolCallId }) =>
        await call(toolCallId, 'write_file', `Write ${path}`, { type: 'write', path, content }),
    }),
    edit_file: tool({
      description: `Proposes to change parts of a file that you have read: all edits are looked for in the file as you proposed it last. ${proposed}`,
      inputSchema: writeCalls.edit_file,
      execute: async (input, { toolCallId }) =>
        await call(toolCallId, 'edit_file', `Edit ${input.path}`, changeOfEdit(input)),
    }),
    rename_file: tool({
      description: `Proposes to rename a file. ${proposed}`,
      inputSchema: writeCalls.rename_file,
      execute: async ({ from, to }, { toolCallId }) =>
        await call(toolCallId, 'rename_file', `Rename ${from} to ${to}`, { type: 'rename', from, to }),
    }),
    delete_file: tool({
      description: `Proposes to delete a file. ${proposed}`,
      inputSchema: writeCalls.delete_file,
      execute: async ({ path }, { toolCallId }) =>
        await call(toolCallId, 'delete_file', `Delete ${path}`, { type: 'delete', path }),
    }),
  };
}

type Files = Parameters<typeof sizeOf>[0];

class Asking {
  readonly #turn: Turn;
  #last: Promise<unknown> = Promise.resolve();

  constructor(turn: Turn) {
    this.#turn = turn;
  }

  async inTurn<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#last.then(work);
    this.#last = result.catch(() => {});
    return await result;
  }

  async mayDo(title: string, files: Files): Promise<boolean> {
    const { services, settings, chat, signal } = this.#turn;
    if (settings.autoApprove || services.allowances.allows(chat.id, 'writes')) return true;
    const answer = await services.questions.ask({ kind: 'write', chatId: chat.id, title, files }, signal);
    if (answer === 'allow-always') services.allowances.allow(chat.id, 'writes');
    return answer === 'allow-once' || answer === 'allow-always';
  }
}

function sizeOf(files: Awaited<ReturnType<PendingChanges['look']>>['files']): string {
  const sum = (of: 'added' | 'removed'): number => files.reduce((total, file) => total + file[of], 0);
  return files.length === 0 ? 'No change' : `+${sum('added')} −${sum('removed')}`;
}
