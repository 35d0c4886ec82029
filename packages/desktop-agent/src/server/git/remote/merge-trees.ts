import { AgentError } from '../../../shared/contract/index.ts';
import { readable } from './said.ts';
import type { Scratch } from './scratch.ts';

export type Merge =
  /** Our side has all of theirs. */
  | { kind: 'up-to-date' }
  /** Theirs has all of ours. */
  | { kind: 'forward' }
  /** A tree of both. */
  | { kind: 'merged'; tree: string }
  | { kind: 'conflicts'; files: string[] };

/**
 * Joins two commits, without any files.
 *
 * @throws {AgentError} `denied` when they have no commit in common; `not_found` for an old git
 */
export async function mergeCommits(scratch: Scratch, ours: string, theirs: string): Promise<Merge> {
  const base = await scratch.run(['merge-base', ours, theirs]);
  if (base.code === 1) {
    throw new AgentError(
      'denied',
      'The two branches have no commit in common, so they are not joined. Nothing was changed.',
    );
  }
  const common = base.stdout.trim();
  if (common === theirs) return { kind: 'up-to-date' };
  if (common === ours) return { kind: 'forward' };
  const args = ['merge-tree', '--write-tree', '--name-only', '--no-messages', '-z', ours, theirs];
  const { stdout, stderr, code } = await scratch.run(args);
  const [tree = '', ...names] = stdout.split('\0').filter((part) => part !== '');
  if (!/^[0-9a-f]{40}$/.test(tree) || code > 1) {
    const what =
      'Both sides have new commits, and this git cannot merge them without files: that takes git 2.38 or later.';
    throw new AgentError(
      'not_found',
      `${what} Merge in a terminal. Nothing was changed. git said: ${readable(stderr)}`,
    );
  }
  return code === 0 ? { kind: 'merged', tree } : { kind: 'conflicts', files: [...new Set(names)].sort() };
}
