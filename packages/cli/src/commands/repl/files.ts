import { printable } from '@mustard-sandbox/protocol/text';
import { formatBytes } from '@mustard-sandbox/agent-tool';
import { alignColumns } from '../../table.ts';
import type { Session } from './session.ts';

const maxFiles = 200;

interface Listing {
  files: { path: string; size: number | null }[];
  /** How many more files there are. */
  more: number;
}

/** Lists files by a script, so that the list is exactly what a script can see. */
const listing = `
  const names = [];
  for (const dir of dirs) for (const name of list_files(dir)) names.push(name);
  const files = [];
  for (const path of names.slice(0, maxFiles)) {
    files.push({ path, size: path.endsWith('/') ? null : file_stats(path).size });
  }
  ({ files, more: names.length - files.length })`;

/**
 * The files that scripts can read: those in `dir`, or all attachments and the first level of the root.
 *
 * @throws {SandboxError} like the call of a script
 */
export async function listFiles(session: Session, dir: string | undefined, signal: AbortSignal): Promise<Listing> {
  const { root, attachments = [] } = session.scope;
  const dirs =
    dir === undefined ? [...(attachments.length > 0 ? ['attachments:'] : []), ...(root ? ['.'] : [])] : [dir];
  const { value } = await session.query(listing, { dirs, maxFiles }, signal);
  return value as unknown as Listing;
}

export function describeFiles({ files, more }: Listing): string {
  if (files.length === 0) return 'no files: give a folder with --root DIR, or files with --attach FILE';
  const rows = files.map(({ path, size }) => [printable(path), size === null ? '' : formatBytes(size)]);
  return `${alignColumns(rows)}${more > 0 ? `\n… and ${more} more: .files DIR lists a folder` : ''}`;
}
