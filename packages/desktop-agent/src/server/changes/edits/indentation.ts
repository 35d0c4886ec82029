import { EditRefused, linesBefore, type EditHunk } from './edit-hunk.ts';

/**
 * Gives lines that a hunk adds the indentation of the file, where that of the hunk is another: four spaces for a tab, or one
 * level less.
 *
 * @param there the lines of the file in its place
 * @returns what becomes of an added line
 * @throws {EditRefused} where one indentation of the hunk is two in the file
 */
export function indentedAs(hunk: EditHunk, there: readonly string[]): (text: string) => string {
  const known = new Map<string, string>();
  for (const [index, { text }] of linesBefore(hunk).entries()) {
    if (text.trim() === '') continue;
    const [said, has] = [indentOf(text), indentOf(there[index] ?? '')];
    if ((known.get(said) ?? has) !== has) {
      throw new EditRefused(
        `${hunk.name} is indented in another way than the file, so it is not clear how its new lines would be. Send it with the indentation of the file.`,
      );
    }
    known.set(said, has);
  }
  // The longest that it begins with: what is deeper keeps its own rest.
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
