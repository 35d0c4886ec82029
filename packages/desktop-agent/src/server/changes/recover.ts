// Finishes or takes back a change that a crash has interrupted.
import { realpath, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { withIndexLock } from '../git/commit.ts';
import { explained } from '../git/errors.ts';
import { headOf, isRepository, openRepository, type Head, type Repository } from '../git/repository.ts';
import { inWorker } from '../worker/index.ts';
import { asWriter } from '../writer.ts';
import { installFolder, Staging, takeBack, type Journal } from './journal.ts';

type Outcome = 'nothing' | 'finished' | 'taken-back';

/** What was done about a change that a crash had interrupted. */
export interface Recovered {
  outcome: Outcome;
  /** The commit of a finished change; `null` when git keeps none of its files. */
  commit?: string | null;
  /** The message whose proposal was finished or taken back. */
  messageId?: string | undefined;
  /** Notes for a person. */
  notes: string[];
}

/**
 * Finishes or takes back a change that a crash has interrupted. It is called for each app when the program starts, before
 * anything is written to the app. The app is then as before the change or as after it.
 *
 * @throws {AgentError} `busy` while another program writes to the app, `no_git` for a repository that we cannot read
 */
export async function recover(appPath: string): Promise<Recovered> {
  if (!(await isRepository(appPath))) return { outcome: 'nothing', notes: [] };
  return explained(() => asWriter(appPath, {}, async () => endInterrupted(await openRepository(appPath))));
}

/** Finishes or takes back an interrupted change. The caller is the writer of the app. */
export async function endInterrupted(repository: Repository): Promise<Recovered> {
  await repository.files.removeLeftovers();
  await rm(installFolder(repository), { recursive: true, force: true });
  const staging = new Staging(repository);
  const journal = await staging.read();
  if (journal === undefined) {
    await staging.remove();
    return { outcome: 'nothing', notes: [] };
  }
  if (journal === 'foreign') {
    const kept = await staging.keep();
    const what = 'A change of this app was cut off, and its journal is broken or was not written by this program here.';
    return { outcome: 'nothing', notes: [`${what} So nothing was finished or taken back. It is in ${kept}.`] };
  }
  const { messageId } = journal;
  const head = await headOf(repository);
  if (await isDone(repository, head, journal)) {
    await staging.remove();
    return { outcome: 'finished', commit: journal.commit, messageId, notes: journal.notes ?? [] };
  }
  const whole = appOf(repository, journal);
  const isWhereItWas = (await realpath(whole.app).catch(() => undefined)) === whole.app;
  if (head.commit !== journal.head.commit || !isWhereItWas) {
    // The person has checked out another commit since, or moved the folder. Finishing the change could overwrite their
    // work, or what a link leads to, so its files are only kept.
    const kept = await staging.keep();
    const what = isWhereItWas ? 'the app now has other commits' : `${whole.app} no longer exists`;
    return { outcome: 'nothing', notes: [`A change was cut off, and ${what}. Its files are in ${kept}.`] };
  }
  const notes = await withIndexLock(repository, () => takeBack(whole, staging, journal));
  await staging.remove();
  return { outcome: 'taken-back', messageId, notes };
}

/** The repository, seen from the app of the journal. */
function appOf(repository: Repository, { prefix }: Journal): Repository {
  return prefix === repository.prefix
    ? repository
    : { ...repository, prefix, app: join(repository.root, prefix.slice(0, -1)) };
}

async function isDone(repository: Repository, head: Head, { commit, to }: Journal): Promise<boolean> {
  if (to !== undefined) return head.ref === to && head.commit === commit;
  return commit !== null && (await contains(repository, head.commit, commit));
}

async function contains({ app }: Repository, head: string | null, commit: string): Promise<boolean> {
  if (head === null || head === commit) return head === commit;
  return (await inWorker('containedIn', [app, [commit]])).has(commit);
}
