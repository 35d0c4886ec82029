// What each change of an app begins with.
import { asWriter } from '../writer.ts';
import { explained } from '../git/errors.ts';
import { detachedNote, headOf, openRepository, refuseUnfinished, type Repository } from '../git/repository.ts';
import { endInterrupted } from './recover.ts';

/** What else was done with a change. */
export interface Before {
  /** The commit of the person's own changes; `null` when there were none. */
  personCommit: string | null;
  /** Notes for a person on what was left alone and why. */
  notes: string[];
}

interface Ready {
  repository: Repository;
  /** For a person. */
  notes: string[];
}

export interface WriteOptions {
  signal?: AbortSignal | undefined;
  /** Called with the notes, also when the change then fails, and with the person's own commit once it is made. */
  onBefore?: (before: Before) => void;
}

/**
 * Runs `use` as the only writer of the app, after changes that a crash interrupted were recovered.
 *
 * @throws {AgentError} `busy`, `no_git`, `unsafe_path`
 */
export async function withApp<T extends Before>(
  appPath: string,
  { signal, onBefore }: WriteOptions,
  use: (ready: Ready) => Promise<T>,
): Promise<T> {
  const write = async (): Promise<T> => {
    const repository = await openRepository(appPath);
    signal?.throwIfAborted();
    const ended = await endInterrupted(repository);
    await refuseUnfinished(repository);
    const detached = (await headOf(repository)).ref === null ? [detachedNote] : [];
    const notes = [...ended.notes, ...detached];
    onBefore?.({ personCommit: null, notes });
    const made = await use({ repository, notes });
    onBefore?.({ personCommit: made.personCommit, notes: made.notes });
    return made;
  };
  return explained(() => asWriter(appPath, { signal }, write));
}
