import { posix } from 'node:path';
import { propose, type Change, type Plan, type Proposed } from '../../../changes/index.ts';
import type { FileDiff } from '../../../contract/index.ts';
import { inOrder } from './in-order.ts';

type Read = { state: 'gone' } | { state: 'written'; content: string } | { state: 'on-disk'; path: string };

/** What the tools of one answer want to change, of which one proposal becomes. */
export class PendingChanges {
  readonly #appPath: string;
  #changes: readonly Change[] = [];
  #plan: Plan | null = null;

  /** @param appPath absolute */
  constructor(appPath: string) {
    this.#appPath = appPath;
  }

  get isEmpty(): boolean {
    return this.#changes.length === 0;
  }

  /** In the order in which they are applied. */
  get all(): readonly Change[] {
    return inOrder(this.#changes);
  }

  /** What one more change would be, without keeping it. `files` is what a person is asked about. */
  async look(change: Change): Promise<{ files: FileDiff[]; error?: string; keep: () => void }> {
    const changes = [...this.#changes, plain(change)];
    const { proposal, plan } = await this.#propose(changes);
    const touched = new Set((change.type === 'rename' ? [change.from, change.to] : [change.path]).map(normal));
    const keep = (): void => {
      this.#changes = changes;
      this.#plan = plan;
    };
    return {
      files: proposal.files.filter(({ path, from }) => touched.has(path) || (from !== undefined && touched.has(from))),
      ...(plan === null && { error: proposal.error ?? 'It cannot be proposed.' }),
      keep,
    };
  }

  /** What a path leads to, as if all of it were done. */
  read(path: string): Read {
    const wanted = normal(path);
    for (const effect of this.#plan?.effects ?? []) {
      if (effect.path === wanted) {
        if (effect.kind === 'write') return { state: 'written', content: effect.content };
        return effect.kind === 'move' ? { state: 'on-disk', path: effect.from } : { state: 'gone' };
      }
      if (effect.kind !== 'delete' && effect.from === wanted) return { state: 'gone' };
    }
    return { state: 'on-disk', path: wanted };
  }

  async #propose(changes: readonly Change[]): Promise<Proposed> {
    return await propose(this.#appPath, { summary: '', changes: inOrder(changes), dependencies: [], commands: [] });
  }
}

/** So that one file has one name. */
function plain(change: Change): Change {
  return change.type === 'rename'
    ? { ...change, from: normal(change.from), to: normal(change.to) }
    : { ...change, path: normal(change.path) };
}

/** `./src//a.ts` is `src/a.ts`. What leads out of the app is refused where it is proposed. */
function normal(path: string): string {
  return posix.normalize(path).replace(/^\.\//, '');
}
