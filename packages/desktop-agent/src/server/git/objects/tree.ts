import { AgentError } from '../../../shared/contract/index.ts';
import { broken } from './errors.ts';

export interface TreeEntry {
  oid: string;
  /** The mode in octal, with six digits. */
  mode: string;
  type: 'blob' | 'tree' | 'commit';
}

const idBytes = 20;

/** The entries of one folder of a commit, by name. @throws {AgentError} `no_git`, `unsafe_path` for a name that is a path */
export function parseTree(bytes: Buffer): Map<string, TreeEntry> {
  const entries = new Map<string, TreeEntry>();
  for (let at = 0; at < bytes.length;) {
    const space = bytes.indexOf(0x20, at);
    const end = bytes.indexOf(0, space + 1);
    if (space === -1 || end === -1 || end + idBytes >= bytes.length) throw broken('a folder of a commit');
    const mode = bytes.toString('latin1', at, space).padStart(6, '0');
    const name = bytes.toString('utf8', space + 1, end);
    if (name === '' || name === '.' || name === '..' || /[/\\]/.test(name)) {
      const what = `A version of this app has a path that is refused: ${JSON.stringify(name)}`;
      throw new AgentError('unsafe_path', what);
    }
    at = end + 1 + idBytes;
    entries.set(name, { oid: bytes.toString('hex', end + 1, at), mode, type: typeOf(mode) });
  }
  return entries;
}

function typeOf(mode: string): TreeEntry['type'] {
  if (mode.startsWith('04')) return 'tree';
  if (mode.startsWith('16')) return 'commit';
  if (mode.startsWith('10') || mode.startsWith('12')) return 'blob';
  throw broken('a folder of a commit');
}
