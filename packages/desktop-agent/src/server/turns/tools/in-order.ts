import { AgentError } from '../../../shared/contract/index.ts';
import type { Change } from '../../changes/index.ts';

/**
 * What a path holds after some changes: `content` when one of them wrote it, else what was on the disk at `origin`; and the
 * edits since.
 */
type Held = { origin: string; content?: string; edits: readonly Edit[] } | null;
type Edit = Extract<Change, { type: 'edit' }>;

/**
 * Changes in the order that applying needs: deletions, renames, writes, each with the edits of it. Tools are called in any order.
 *
 * @throws {AgentError} `unsafe_path` for a rename to what an earlier change has put there
 */
export function inOrder(changes: readonly Change[]): Change[] {
  const paths = new Map<string, Held>();
  const refused: Change[] = [];
  const at = (path: string): Held => paths.get(path) ?? (paths.has(path) ? null : { origin: path, edits: [] });
  for (const change of changes) {
    if (change.type === 'delete') paths.set(change.path, null);
    else if (change.type === 'refused') refused.push(change);
    else if (change.type === 'edit') {
      const { path } = change;
      const held = at(path);
      if (held === null) refused.push({ type: 'refused', path, why: 'This answer proposes to remove this file.' });
      else paths.set(path, { ...held, edits: [...held.edits, change] });
    } else if (change.type === 'write') {
      const { path, content } = change;
      paths.set(path, { origin: at(path)?.origin ?? path, content, edits: [] });
    } else if (change.from !== change.to) {
      const { from, to } = change;
      if ((paths.get(to) ?? null) !== null) {
        throw new AgentError('unsafe_path', `${from} cannot be renamed to ${to}: an earlier change put a file there.`);
      }
      const held = at(from);
      if (held === null) throw new AgentError('not_found', `${from} was to be renamed, but no longer exists.`);
      paths.set(to, held);
      paths.set(from, null);
    }
  }
  return [...deletions(paths), ...renames(paths), ...writes(paths), ...refused];
}

function* deletions(paths: ReadonlyMap<string, Held>): Generator<Change> {
  const moved = new Set([...renames(paths)].map(({ from }) => from));
  for (const [path, held] of paths) if (held === null && !moved.has(path)) yield { type: 'delete', path };
}

function* renames(paths: ReadonlyMap<string, Held>): Generator<Extract<Change, { type: 'rename' }>> {
  for (const [to, held] of paths) {
    if (held !== null && held.content === undefined && held.origin !== to)
      yield { type: 'rename', from: held.origin, to };
  }
}

function* writes(paths: ReadonlyMap<string, Held>): Generator<Change> {
  for (const [path, held] of paths) {
    if (held?.content !== undefined) yield { type: 'write', path, content: held.content };
    for (const edit of held?.edits ?? []) yield { ...edit, path };
  }
}
