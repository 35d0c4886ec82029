import { AgentError } from '../contract/index.ts';

/** What became of a transaction that a crash had cut. */
export type Recovered = 'nothing' | 'finished' | 'taken-back';

/**
 * Ends what a crash has cut. Called for each app when the program starts, before anything is written to it. The app is
 * then as it was before the change or as it is after it.
 *
 * @throws {AgentError} `busy` when another program writes to the app right now
 */
export async function recover(_appPath: string): Promise<{ outcome: Recovered; notes: string[] }> {
  throw new AgentError('internal', 'Not built yet.');
}
