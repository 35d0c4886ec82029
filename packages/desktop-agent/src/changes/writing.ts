// What everything that writes to an app does first.
import { asWriter } from '../main/locks/index.ts';
import { explained } from '../main/git/errors.ts';
import { commitOwnChanges } from '../main/git/commit.ts';
import { detachedNote, headOf, openRepository, refuseUnfinished, type Repository } from '../main/git/repository.ts';
import { endInterrupted } from './journal.ts';

/** What was done before the change itself. */
export interface Before {
  /** The commit of the person's own changes; `null` when there were none. */
  personCommit: string | null;
  /** For a person: what was left alone and why. */
  notes: string[];
}

export interface Ready extends Before {
  repository: Repository;
}

export interface WriteOptions {
  signal?: AbortSignal | undefined;
  /** Hears what was done before, also when the change then fails. */
  onBefore?: (before: Before) => void;
}

/**
 * Runs `use` as the only writer of the app. What a crash has cut was ended, and the person's own changes were committed.
 *
 * @throws {AgentError} `busy`, `no_git`, `unsafe_path`
 */
export async function withOwnChangesCommitted<T>(
  appPath: string,
  { signal, onBefore }: WriteOptions,
  use: (ready: Ready) => Promise<T>,
): Promise<T> {
  const write = async (): Promise<T> => {
    const repository = await openRepository(appPath);
    signal?.throwIfAborted();
    const ended = await endInterrupted(repository);
    await refuseUnfinished(repository);
    const { commit, notes } = await commitOwnChanges(repository);
    const detached = (await headOf(repository)).ref === null ? [detachedNote] : [];
    const before = { personCommit: commit, notes: [...ended.notes, ...detached, ...notes] };
    onBefore?.(before);
    return use({ repository, ...before });
  };
  return explained(() => asWriter(appPath, { signal }, write));
}
