// Merges a proposal into a file that someone has changed since.
import { diffArrays } from 'diff';
import { historyOf } from '../git/history.ts';
import { headOf, openRepository, type Repository } from '../git/repository.ts';
import { fileAt, treeIn } from '../git/trees.ts';
import { hashOf } from './app-files.ts';
import { isBinary } from './diff.ts';

/** How many commits are searched for the file as it was when the change was proposed. */
const maxCommits = 100;
const maxBytes = 1024 * 1024;
const maxEdits = 2000;
const mergingMs = 1000;

/** Lines of the base, from `start` to before `end`, and their replacement. */
interface Edit {
  start: number;
  end: number;
  lines: string[];
}

/**
 * Merges two changes of a text.
 *
 * @returns `undefined` when they touch the same or adjacent lines, or would take long to compare
 */
export function merge(base: string, mine: string, theirs: string): string | undefined {
  const lines = linesOf(base);
  const [own, other] = [editsOf(lines, mine), editsOf(lines, theirs)];
  if (own === undefined || other === undefined) return undefined;
  const same = (a: Edit, b: Edit): boolean =>
    a.start === b.start && a.end === b.end && a.lines.join('') === b.lines.join('');
  const added = other.filter((edit) => !own.some((one) => same(one, edit)));
  if (added.some((edit) => own.some((one) => edit.start <= one.end && one.start <= edit.end))) return undefined;
  const all = [...own, ...added].sort((a, b) => b.start - a.start);
  for (const { start, end, lines: instead } of all) lines.splice(start, end - start, ...instead);
  return lines.join('');
}

function editsOf(base: readonly string[], text: string): Edit[] | undefined {
  const changes = diffArrays([...base], linesOf(text), { maxEditLength: maxEdits, timeout: mergingMs });
  if (changes === undefined) return undefined;
  const edits: Edit[] = [];
  let at = 0;
  for (const { added, removed, value } of changes) {
    const last = edits.at(-1);
    const isSame = last !== undefined && last.end === at;
    if (removed) {
      if (isSame) last.end += value.length;
      else edits.push({ start: at, end: at + value.length, lines: [] });
    } else if (added) {
      if (isSame) last.lines.push(...value);
      else edits.push({ start: at, end: at, lines: [...value] });
    }
    if (!added) at += value.length;
  }
  return edits;
}

/** The lines with their ends. */
function linesOf(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

interface MergedSides {
  path: string;
  /** The hash of the content that the proposal was made for. A commit must have this content. */
  hash: string;
  now: Uint8Array;
  proposed: string;
}

/** The proposed content, merged with the changes that someone made to the file since. */
export async function mergedSince(
  appPath: string,
  { path, hash, now, proposed }: MergedSides,
): Promise<string | undefined> {
  if (now.length > maxBytes || proposed.length > maxBytes || isBinary(now)) return undefined;
  const base = await committedAs(await openRepository(appPath), path, hash);
  return base === undefined ? undefined : merge(base.toString('utf8'), Buffer.from(now).toString('utf8'), proposed);
}

async function committedAs(repository: Repository, path: string, hash: string): Promise<Buffer | undefined> {
  const { commit } = await headOf(repository);
  if (commit === null) return undefined;
  const seen = new Set<string>();
  for (const old of (await historyOf(repository, commit, maxCommits)).commits) {
    const tree = await treeIn(repository, old);
    const file = tree === null ? undefined : await fileAt(repository, tree, path);
    if (file === undefined || seen.has(file.oid)) continue;
    seen.add(file.oid);
    if ((await repository.objects.sizeOf(file.oid)) > maxBytes) continue;
    const bytes = await repository.objects.read(file.oid, 'blob');
    if (hashOf(bytes) === hash) return bytes;
  }
  return undefined;
}
