// Commits as they are read: git takes in many that are not as it writes them.
import { join } from 'node:path';
import type { Repository } from './repository.ts';

export interface Commit {
  oid: string;
  tree: string;
  parent: string[];
  author: string;
  /** In seconds, within what a `Date` can say. */
  committedAt: number;
  message: string;
}

const maxSeconds = 8.64e12;

const commitsKey = Symbol('commits');
const maxKept = 20_000;
/** One that is longer is not kept in memory. */
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
  // By position, as git does: a `parent` further down is none.
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

/** 0 where there is no time, or one that is none. */
function secondsOf(person: string): number {
  const seconds = Number(/> (\d+)/.exec(person)?.[1] ?? 0);
  return seconds <= maxSeconds ? seconds : 0;
}

/** Commits from the newest on, as many as the caller takes. The parents of one at which a shallow clone ends are left out. */
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

/** Those at which a shallow clone ends: it does not have their parents. */
export async function shallowCommits({ files, gitdir }: Repository): Promise<ReadonlySet<string>> {
  const text = await files.read(join(gitdir, 'shallow')).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '';
    throw error;
  });
  return new Set(text.toString('utf8').split('\n'));
}
