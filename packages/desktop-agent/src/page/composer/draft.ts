// The draft of each chat. It stays when another chat is opened, and its text also when the page is reloaded.
import type { AttachmentItem } from '@mustard-sandbox/cards';
import { keptHere } from '../state/keep.ts';
import { createStore, useStore, type Store } from '../state/store.ts';

/** A file of the draft. */
export interface DraftFile extends AttachmentItem {
  /** Absent while the file is being stored, and when it could not be stored. */
  uploadId?: string;
  /** Cancels the upload. */
  cancel: () => void;
}

export interface Draft {
  text: string;
  files: readonly DraftFile[];
  /** Whether the draft was sent and the server has not answered yet. */
  isSending: boolean;
}

const drafts = new Map<string, Store<Draft>>();

/** @param chatId the chat, or the key of the draft without a chat */
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

/** Moves the draft that was written without a chat to the chat that was made for it. */
export function moveDraft(from: string, to: string): void {
  const { text, files } = draftOf(from).get();
  const target = draftOf(to);
  target.set({ text: text || target.get().text, files: [...target.get().files, ...files] });
  draftOf(from).set({ text: '', files: [] });
}
