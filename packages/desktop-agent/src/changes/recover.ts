import { asWriter } from '../main/locks/index.ts';
import { explained } from '../main/git/errors.ts';
import { isRepository, openRepository } from '../main/git/repository.ts';
import { endInterrupted, type Ended } from './journal.ts';

/** What became of a change that a crash had cut. */
export type Recovered = Ended;

/**
 * Ends what a crash has cut. Called for each app when the program starts, before anything is written to it. The app is
 * then as it was before the change or as it is after it.
 *
 * @throws {AgentError} `busy` when another program writes to the app right now, `no_git` for one that we cannot read
 */
export async function recover(appPath: string): Promise<Recovered> {
  if (!(await isRepository(appPath))) return { outcome: 'nothing', notes: [] };
  return explained(() => asWriter(appPath, {}, async () => endInterrupted(await openRepository(appPath))));
}
