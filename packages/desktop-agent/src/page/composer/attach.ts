import { problemOf } from '../state/problem.ts';
import type { Agent } from '../state/page-agent.ts';
import { pictureOf } from '../picture.ts';
import { texts } from '../words/texts.ts';
import { draftOf, type DraftFile } from './draft.ts';

/** A name that no other file of the draft has, because chips and the server identify files by their names. */
function freeName(wanted: string, taken: ReadonlySet<string>): string {
  if (!taken.has(wanted)) return wanted;
  const dot = wanted.lastIndexOf('.');
  const [stem, end] = dot > 0 ? [wanted.slice(0, dot), wanted.slice(dot)] : [wanted, ''];
  let count = 2;
  while (taken.has(`${stem} (${count})${end}`)) count += 1;
  return `${stem} (${count})${end}`;
}

/** Uploads the files for the chat, and shows a chip for each at once. */
export function attachFiles(agent: Agent, chatId: string, files: readonly File[]): void {
  for (const file of files) attachFile(agent, chatId, file);
}

function attachFile(agent: Agent, chatId: string, file: File): void {
  const draft = draftOf(chatId);
  const taken = new Set(draft.get().files.map(({ name }) => name));
  const name = freeName(file.name || texts.pastedName, taken);
  const controller = new AbortController();
  const change = (next: Partial<DraftFile>): void => {
    draft.set({ files: draft.get().files.map((one) => (one.name === name ? { ...one, ...next } : one)) });
  };
  const first: DraftFile = {
    name,
    size: file.size,
    mediaType: file.type,
    storedBytes: 0,
    cancel: () => controller.abort(),
  };
  draft.set({ files: [...draft.get().files, first] });
  void showPicture(chatId, name, file);
  agent
    .upload(file, { chatId, name, signal: controller.signal, onProgress: (storedBytes) => change({ storedBytes }) })
    .then(
      ({ id, bytes, mediaType }) => change({ uploadId: id, size: bytes, mediaType, storedBytes: bytes }),
      (error: unknown) => {
        if (!controller.signal.aborted) change({ problem: problemOf(error).message });
      },
    );
}

/** Shows a preview of a picture. If the file cannot be read, its upload reports that. */
async function showPicture(chatId: string, name: string, file: File): Promise<void> {
  const picture = await pictureOf(file).catch(() => undefined);
  const draft = draftOf(chatId);
  const { files } = draft.get();
  if (picture === undefined || !files.some((one) => one.name === name)) return;
  const preview = URL.createObjectURL(picture);
  draft.set({ files: files.map((one) => (one.name === name ? { ...one, preview } : one)) });
}

/** Revokes the address of the file's preview. */
export function forgetPreview({ preview }: DraftFile): void {
  if (preview !== undefined) URL.revokeObjectURL(preview);
}

/** Takes a file off the draft, cancels its upload, and removes what is stored. */
export function detachFile(agent: Agent, chatId: string, name: string): void {
  const draft = draftOf(chatId);
  const { files, isSending } = draft.get();
  // The file is already in the message.
  if (isSending) return;
  const file = files.find((one) => one.name === name);
  file?.cancel();
  if (file !== undefined) forgetPreview(file);
  // A failure is ignored. No message has the file, so the model cannot read it, and the server removes it after a day.
  if (file?.uploadId !== undefined) agent.call('discard-upload', { chatId, uploadId: file.uploadId }).catch(() => {});
  draft.set({ files: files.filter((file) => file.name !== name) });
}
