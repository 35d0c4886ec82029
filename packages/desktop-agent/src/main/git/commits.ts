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

/** @throws {AgentError} `not_found`, `no_git`, `limit_exceeded` */
export async function readCommit({ objects }: Repository, oid: string): Promise<Commit> {
  const text = (await objects.read(oid, 'commit')).toString('utf8');
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

/** The commits that lead to one, the newest first, as far as a shallow clone has them. */
export async function historyOf(repository: Repository, from: string, limit: number): Promise<Commit[]> {
  const found: Commit[] = [];
  if (limit <= 0) return found;
  for await (const commit of walkHistory(repository, from)) {
    found.push(commit);
    if (found.length >= limit) break;
  }
  return found;
}

/** The same, as many as are wanted. */
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
    yield newest;
    for (const parent of cut.has(newest.oid) ? [] : newest.parent) {
      if (seen.has(parent)) continue;
      seen.add(parent);
      tips.push(await readCommit(repository, parent));
    }
  }
}

async function shallowCommits({ files, gitdir }: Repository): Promise<ReadonlySet<string>> {
  const text = await files.read(join(gitdir, 'shallow')).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '';
    throw error;
  });
  return new Set(text.toString('utf8').split('\n'));
}
