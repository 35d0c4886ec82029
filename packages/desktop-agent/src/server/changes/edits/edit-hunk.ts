/** One line of an edit, without its `\n`. */
export interface EditLine {
  kind: 'context' | 'removed' | 'added';
  text: string;
  /** No line break is behind it: a diff says so of the last line of a file. */
  isOpen?: true;
}

/** Lines that a file has, with what becomes of them. */
export interface EditHunk {
  /** For a person and the model: `Block 2`, `Hunk 2`. */
  name: string;
  lines: EditLine[];
  /** Where a diff says that it begins, from 1. */
  line?: number;
}

/** An edit that was not made. The message says what to send instead, to the model that sent it. */
export class EditRefused extends Error {
  override readonly name = 'EditRefused';
}

/** The lines that the file must have for it. */
export function linesBefore({ lines }: EditHunk): EditLine[] {
  return lines.filter(({ kind }) => kind !== 'added');
}
