import { EditRefused, linesBefore, type EditHunk } from './edit-hunk.ts';

/**
 * Gives the lines that a hunk adds the indentation of the file, if the hunk has another one, such as four spaces for a tab,
 * or one level less.
 *
 * @param there the lines of the file at the place of the hunk
 * @returns changes the indentation of an added line
 * @throws {EditRefused} when one indentation of the hunk has two different ones in the file
 */
export function indentedAs(hunk: EditHunk, there: readonly string[]): (text: string) => string {
  const known = new Map<string, string>();
  for (const [index, { text }] of linesBefore(hunk).entries()) {
    if (text.trim() === '') continue;
    const [said, has] = [indentOf(text), indentOf(there[index] ?? '')];
    if ((known.get(said) ?? has) !== has) {
      throw new EditRefused(
        `${hunk.name} is indented differently from the file, so the indentation of its new lines is not clear. Send it with the indentation of the file.`,
      );
    }
    known.set(said, has);
  }
  // The longest known indentation is replaced, and a deeper line keeps the rest of its own.
  const longestFirst = [...known].sort(([a], [b]) => b.length - a.length);
  return (text) => {
    if (text.trim() === '') return text;
    const [said, has] = longestFirst.find(([from]) => indentOf(text).startsWith(from)) ?? ['', ''];
    return has + text.slice(said.length);
  };
}

function indentOf(text: string): string {
  return /^[^\S\n]*/.exec(text)?.[0] ?? '';
}
