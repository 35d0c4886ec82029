import { readCommit, walkHistory } from './commits.ts';
import { explained } from './errors.ts';
import { headOf, openRepository, type Repository } from './repository.ts';

const maxCommits = 5000;
/** A tolerance, because clocks differ and a commit may have an earlier time than its parent. */
const slackSeconds = 24 * 60 * 60;

/** Which of some commits are among the last 5,000 of the branch. A person may have reset it. @throws {AgentError} `no_git` */
export async function containedIn(appPath: string, commits: readonly string[]): Promise<ReadonlySet<string>> {
  const repository = await openRepository(appPath);
  return explained(async () => {
    const { commit: head } = await headOf(repository);
    const found = new Set<string>();
    const wanted = new Set(commits);
    if (head === null || wanted.size === 0) return found;
    const oldest = await oldestOf(repository, wanted);
    let count = 0;
    for await (const { oid, committedAt } of walkHistory(repository, head)) {
      if (wanted.delete(oid)) found.add(oid);
      if (wanted.size === 0 || committedAt + slackSeconds < oldest || ++count === maxCommits) break;
    }
    return found;
  });
}

/** The time of the oldest commit, in seconds. Commits that are gone from the repository are removed from `wanted`. */
async function oldestOf(repository: Repository, wanted: Set<string>): Promise<number> {
  let oldest = Infinity;
  for (const oid of wanted) {
    const known = await readCommit(repository, oid).catch(() => undefined);
    if (known === undefined) wanted.delete(oid);
    else oldest = Math.min(oldest, known.committedAt);
  }
  return oldest;
}
