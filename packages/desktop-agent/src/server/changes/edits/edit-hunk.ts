/** One line of an edit, without its `\n`. */
export interface EditLine {
  kind: 'context' | 'removed' | 'added';
  text: string;
  /** Set for the last line of a file when the diff says that no line break follows it. */
  isOpen?: true;
}

/** Lines of a file, and how they change. */
export interface EditHunk {
  /** The name for a person and the model, such as `Block 2` or `Hunk 2`. */
  name: string;
  lines: EditLine[];
  /** The line at which the diff says that it begins, from 1. */
  line?: number;
}

/** An edit that was not made. The message says what to send instead, to the model that sent it. */
export class EditRefused extends Error {
  override readonly name = 'EditRefused';
}

/** The lines that the file must have, so that the hunk fits. */
export function linesBefore({ lines }: EditHunk): EditLine[] {
  return lines.filter(({ kind }) => kind !== 'added');
}
