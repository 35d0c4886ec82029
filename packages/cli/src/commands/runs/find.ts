import type { Run } from '@mustard-sandbox/runs';
import { knownGateways, type GatewayFolder } from '../../gateway/folder.ts';
import { openRuns } from '../../gateway/open.ts';
import { UsageError } from '../../failure.ts';

/** A run, and the folder that keeps it. */
export interface Found {
  folder: GatewayFolder;
  run: Run;
}

/** How many runs of each gateway are searched. */
const most = 1_000;

/** The runs of all gateways, the newest first. */
export async function allRuns(): Promise<Found[]> {
  const found = await Promise.all(
    (await knownGateways()).map(async (folder) => {
      await using runs = await openRuns(folder);
      return (await runs.list({ limit: most })).map((run): Found => ({ folder, run }));
    }),
  );
  return found.flat().toSorted((one, two) => two.run.createdAt.getTime() - one.run.createdAt.getTime());
}

/**
 * @param id or its beginning
 *
 * @throws {UsageError} when there is no such run, or more than one
 */
export async function findRun(id: string): Promise<Found> {
  const fitting = (await allRuns()).filter(({ run }) => run.id.startsWith(id));
  const [first, second] = fitting;
  if (first === undefined || id === '') {
    throw new UsageError(`There is no run '${id}'.`, '`mustard-sandbox runs list --all` lists them');
  }
  if (second === undefined || first.run.id === id) return first;
  const ids = fitting.slice(0, 5).map(({ run }) => run.id);
  throw new UsageError(`'${id}' is the beginning of ${fitting.length} runs: ${ids.join(', ')}.`, 'write more of it');
}
