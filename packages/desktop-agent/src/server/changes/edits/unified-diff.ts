import { EditRefused, type EditHunk, type EditLine } from './edit-hunk.ts';

/** What a diff says about one file. */
export interface FilePatch {
  /** The old path, or `null` for a new file. It is absent when the diff names none. */
  from?: string | null;
  /** The new path, or `null` for a deleted file. It is absent when the diff names none. */
  to?: string | null;
  isRename: boolean;
  hunks: EditHunk[];
}

/** The head of a hunk. Models sometimes leave the numbers out. */
const hunkHead = /^@@(?: -(\d{1,9})(?:,\d+)? \+\d+(?:,\d+)? @@)?/;
const refused: readonly (readonly [RegExp, string])[] = [
  [/^(?:GIT binary patch|Binary files .* differ)/, 'It has a binary file, which cannot be changed by a diff.'],
  [/^copy (?:from|to) /, 'It copies a file. Write the copy as a whole file.'],
  [/^(?:old|new) mode /, 'It changes the mode of a file, which is not supported. Leave the mode out.'],
  [/^(?:new|deleted) file mode (?!100)/, 'It has a link or a submodule. Only plain files can be changed.'],
];

/** Whether a text is a unified diff. */
export function isDiff(text: string): boolean {
  return /^(?:@@|--- |diff --git )/m.test(text);
}

/**
 * Reads a unified diff, also one of git. It ignores the counts in the heads of hunks, because models miscount.
 *
 * @throws {EditRefused} for parts of a git diff that are not supported, and for a line that does not belong in a diff
 */
export function parseDiff(text: string): FilePatch[] {
  const patches: FilePatch[] = [];
  const lines = text.split('\n');
  if (lines.at(-1)?.trim() === '') lines.pop();
  let patch: FilePatch | undefined;
  let hunk: EditHunk | undefined;
  const begin = (): FilePatch => {
    patches.push((patch = { isRename: false, hunks: [] }));
    return patch;
  };
  for (const [index, line] of lines.entries()) {
    if (line.startsWith('diff --git ') || isFileHead(lines, index, hunk)) {
      hunk = undefined;
      if (line.startsWith('diff ') || patch === undefined || patch.hunks.length > 0 || patch.from !== undefined)
        begin();
    }
    if (hunk === undefined || line.startsWith('@@')) {
      const head = hunkHead.exec(line);
      if (head !== null) {
        hunk = { name: `Hunk ${hunkCount(patches) + 1}`, lines: [], ...(head[1] && { line: Number(head[1]) }) };
        (patch ?? begin()).hunks.push(hunk);
      } else if (patch !== undefined) readHead(line, patch);
      continue;
    }
    // This is the second line of a file's head.
    if (hunk.lines.length === 0 && line.startsWith('+++ ') && lines[index - 1]?.startsWith('--- ')) continue;
    readLine(line, hunk, index);
  }
  for (const { hunks } of patches) for (const { lines: of } of hunks) dropBlankEnd(of);
  return patches.map(withoutPrefixes);
}

function hunkCount(patches: readonly FilePatch[]): number {
  return patches.at(-1)?.hunks.length ?? 0;
}

/** A removed line may begin with `-- ` too. But a file's head has three lines in a row that a hunk cannot have. */
function isFileHead(lines: readonly string[], index: number, hunk: EditHunk | undefined): boolean {
  if (!/^--- \S/.test(lines[index] ?? '') || !/^\+\+\+ \S/.test(lines[index + 1] ?? '')) return false;
  return hunk === undefined || lines[index + 2]?.startsWith('@@') === true;
}

function readHead(line: string, patch: FilePatch): void {
  for (const [form, why] of refused) if (form.test(line)) throw new EditRefused(why);
  if (line.startsWith('--- ')) patch.from = pathIn(line.slice(4));
  else if (line.startsWith('+++ ')) patch.to = pathIn(line.slice(4));
  else if (line.startsWith('rename from ')) Object.assign(patch, { isRename: true, from: pathIn(line.slice(12)) });
  else if (line.startsWith('rename to ')) Object.assign(patch, { isRename: true, to: pathIn(line.slice(10)) });
}

/** The path in a line, or `null` for `/dev/null`. A tab and a time may follow it. */
function pathIn(text: string): string | null {
  const path = (text.split('\t')[0] as string).replace(/\r$/, '').trim();
  if (path === '/dev/null') return null;
  if (!path.startsWith('"')) return path;
  // git writes other letters of names in octal, which is not decoded here.
  if (!/^"[^"\\]*"$/.test(path)) {
    throw new EditRefused(`The name ${path} has escapes in it. Name the file in the path of the tag instead.`);
  }
  return path.slice(1, -1);
}

const kinds: Readonly<Record<string, EditLine['kind']>> = { ' ': 'context', '-': 'removed', '+': 'added' };

function readLine(line: string, hunk: EditHunk, index: number): void {
  const last = hunk.lines.at(-1);
  const kind = kinds[line[0] ?? ' '];
  if (line.startsWith('\\')) {
    if (last !== undefined) last.isOpen = true;
  } else if (line === '' || line === '\r') {
    // This is a blank line of context that has lost its space.
    hunk.lines.push({ kind: 'context', text: line });
  } else if (kind !== undefined) {
    hunk.lines.push({ kind, text: line.slice(1) });
  } else {
    const shown = JSON.stringify(line.slice(0, 80));
    throw new EditRefused(
      `Line ${index + 1} of the diff, ${shown}, begins with neither a space nor + nor -. Send the diff again, with a sign before each line.`,
    );
  }
}

/** Drops a blank line between two files, which does not belong to the first. */
function dropBlankEnd(lines: EditLine[]): void {
  while (lines.at(-1)?.kind === 'context' && lines.at(-1)?.text === '' && lines.at(-1)?.isOpen !== true) lines.pop();
}

/** Removes the `a/` and `b/` of git. */
function withoutPrefixes(patch: FilePatch): FilePatch {
  const { from, to, isRename } = patch;
  // The paths of a rename have no prefixes, but the lines above its hunks have the same paths with prefixes.
  const isPrefixed = (path: string | null | undefined, prefix: string): boolean =>
    path === null || path === undefined || path.startsWith(prefix);
  if (!isPrefixed(from, 'a/') || !isPrefixed(to, 'b/') || (isRename && patch.hunks.length === 0)) return patch;
  const strip = (path: string | null | undefined): string | null | undefined => path?.slice(2) ?? path;
  return {
    ...patch,
    ...(from !== undefined && { from: strip(from) }),
    ...(to !== undefined && { to: strip(to) }),
  } as FilePatch;
}
