import { realpathSync } from 'node:fs';
import { FolderFiles } from '@mustard-sandbox/paths';
import type { Change } from '../changes/index.ts';
import { isBinary } from '../changes/diff.ts';
import { AgentError } from '../../shared/contract/index.ts';
import { isGone, maxTakenBytes, snapshotOf, type Snapshot } from './snapshot.ts';

export interface TakenOver {
  changes: Change[];
  /** For a person: the files that were left out of the changes, and why. */
  notes: string[];
}

interface Folders {
  /** Both absolute. */
  workspace: string;
  app: string;
  /** What the workspace was filled with. */
  base: Snapshot | undefined;
}

/**
 * What commands changed in a workspace, as changes of the app. A file that is another one in the app, too, is left out: to
 * take it over would undo what was done there.
 *
 * @throws {AgentError} `not_found` when nothing changed
 */
export async function changesOf({ workspace, app, base }: Folders): Promise<TakenOver> {
  const [now, there] = [await snapshotOf(workspace, app), await snapshotOf(app, app)];
  // Without what it was filled with, what is missing may just not have been copied.
  const before = base ?? there;
  const files = new FolderFiles(realpathSync.native(workspace), { refuseSecrets: true });
  const taken: TakenOver = { changes: [], notes: [] };
  const paths = [...new Set([...Object.keys(now), ...(base === undefined ? [] : Object.keys(base))])].sort();
  for (const path of paths) {
    if (now[path] === before[path] || now[path] === there[path]) continue;
    if (before[path] !== there[path]) taken.notes.push(`${path} changed in the app, too, so it is left out.`);
    else if (now[path] !== undefined) takeText(files, path, taken);
    else if (isGone(files, path)) taken.changes.push({ type: 'delete', path });
    else taken.notes.push(`${path} is ignored by git, a link or too large in the workspace, so it is left out.`);
  }
  if (taken.changes.length + taken.notes.length > 0) return taken;
  throw new AgentError('not_found', 'Nothing in the workspace differs from the app.');
}

function takeText(files: FolderFiles, path: string, { changes, notes }: TakenOver): void {
  const { bytes } = files.read(path, maxTakenBytes, 'workspace');
  if (isBinary(bytes) || bytes.includes(0))
    notes.push(`${path} is not a text file, so it is left out. It can be downloaded.`);
  else changes.push({ type: 'write', path, content: bytes.toString('utf8'), exact: true });
}
