// Reads commits. It is lenient, because git accepts many commits that it would not write in this form.
import { join } from 'node:path';
import type { Repository } from './repository.ts';

export interface Commit {
  oid: string;
  tree: string;
  parent: string[];
  author: string;
  /** In seconds, within the range of `Date`. */
  committedAt: number;
  message: string;
}

const maxSeconds = 8.64e12;

const commitsKey = Symbol('commits');
const maxKept = 20_000;
/** A longer commit is not cached. */
const maxKeptText = 2000;

/** @throws {AgentError} `not_found`, `no_git`, `limit_exceeded` */
export async function readCommit({ objects, base }: Repository, oid: string): Promise<Commit> {
  const cache = base.cache as { [commitsKey]?: Map<string, Commit> };
  const kept = (cache[commitsKey] ??= new Map());
  const known = kept.get(oid);
  if (known !== undefined) return known;
  const text = (await objects.read(oid, 'commit')).toString('utf8');
  const commit = parseCommit(oid, text);
  if (kept.size === maxKept) kept.clear();
  if (text.length <= maxKeptText) kept.set(oid, commit);
  return commit;
}

function parseCommit(oid: string, text: string): Commit {
  const end = text.indexOf('\n\n');
  const lines = (end === -1 ? text : text.slice(0, end)).split('\n');
  const values = (key: string): string[] =>
    lines.flatMap((line) => (line.startsWith(`${key} `) ? [line.slice(key.length + 1)] : []));
  // Fields are read by position, as in git, so a `parent` further down does not count.
  const other = lines.findIndex((line, index) => index > 0 && !line.startsWith('parent '));
  const parents = lines.slice(1, other === -1 ? undefined : other);
  const [committer = ''] = values('committer');
  return {
    oid,
    tree: values('tree')[0] ?? '',
    parent: parents.map((line) => line.slice('parent '.length)),
    author: (values('author')[0] ?? '').replace(/\s*<[^]*$/, ''),
    committedAt: secondsOf(committer),
    message: end === -1 ? '' : text.slice(end + 2).replaceAll('\r', ''),
  };
}

/** The time of a commit; 0 when it is missing or invalid. */
function secondsOf(person: string): number {
  const seconds = Number(/> (\d+)/.exec(person)?.[1] ?? 0);
  return seconds <= maxSeconds ? seconds : 0;
}

/** Commits from the newest on, as many as the caller takes. Parents beyond the end of a shallow clone are left out. */
export async function* walkHistory(repository: Repository, from: string): AsyncGenerator<Commit> {
  const cut = await shallowCommits(repository);
  const tips = [await readCommit(repository, from)];
  const seen = new Set([from]);
  for (;;) {
    const newest = tips.reduce<Commit | undefined>(
      (a, b) => (a === undefined || b.committedAt > a.committedAt ? b : a),
      undefined,
    );
    if (newest === undefined) return;
    tips.splice(tips.indexOf(newest), 1);
    const commit = cut.has(newest.oid) ? { ...newest, parent: [] } : newest;
    yield commit;
    for (const parent of commit.parent) {
      if (seen.has(parent)) continue;
      seen.add(parent);
      tips.push(await readCommit(repository, parent));
    }
  }
}

/** The commits at which a shallow clone ends. It does not have their parents. */
export async function shallowCommits({ files, gitdir }: Repository): Promise<ReadonlySet<string>> {
  const text = await files.read(join(gitdir, 'shallow')).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '';
    throw error;
  });
  return new Set(text.toString('utf8').split('\n'));
}
