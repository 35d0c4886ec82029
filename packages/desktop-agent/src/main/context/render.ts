import type { ContextFiles } from './context-reader.ts';

/** The files of an app as a part of the prompt. No content can end its own frame. The same files give the same text. */
export function renderContext({ files, omittedCount }: ContextFiles): string {
  void [files, omittedCount];
  return '';
}
