// What is about to be sent in each chat: it stays when another chat is opened, and its text when the page is reloaded.
import type { AttachmentItem } from '@mustard-sandbox/cards';
import { keptHere } from '../state/keep.ts';
import { createStore, useStore, type Store } from '../state/store.ts';

/** A file of the message that is written. */
export interface DraftFile extends AttachmentItem {
  /** Absent while it is being stored, and when it could not be. */
  uploadId?: string;
  /** Cancels the upload. */
  cancel: () => void;
}

export interface Draft {
  text: string;
  files: readonly DraftFile[];
  /** Whether the server has it and has not answered yet. */
  isSending: boolean;
}

const drafts = new Map<string, Store<Draft>>();

/** @param chatId or the name of the place where there is no chat yet */
export function draftOf(chatId: string): Store<Draft> {
  let draft = drafts.get(chatId);
  if (draft === undefined) {
    const text = keptHere.get(`draft:${chatId}`) ?? '';
    draft = createStore<Draft>({ text, files: [], isSending: false });
    const { get, subscribe } = draft;
    subscribe(() => keptHere.set(`draft:${chatId}`, get().text === '' ? null : get().text));
    drafts.set(chatId, draft);
  }
  return draft;
}

export function useDraft(chatId: string): Draft {
  return useStore(draftOf(chatId), (draft) => draft);
}

export function setDraft(chatId: string, text: string): void {
  draftOf(chatId).set({ text });
}

export function isEmpty(chatId: string): boolean {
  const { text, files } = draftOf(chatId).get();
  return text === '' && files.length === 0;
}

/** Takes what was written where there was no chat along to the one that was made for it. */
export function moveDraft(from: string, to: string): void {
  const { text, files } = draftOf(from).get();
  const target = draftOf(to);
  target.set({ text: text || target.get().text, files: [...target.get().files, ...files] });
  draftOf(from).set({ text: '', files: [] });
}
