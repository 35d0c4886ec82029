import { posix } from 'node:path';
import { maxChanges, type Change, type Effect, type Proposed } from '../../changes/index.ts';
import { AgentError, type FileDiff } from '../../../shared/contract/index.ts';
import { inWorker } from '../../worker/index.ts';
import { inOrder } from './in-order.ts';

type Read = { state: 'gone' } | { state: 'written'; content: string } | { state: 'on-disk'; path: string };

/** Changes that touch one another's paths, and what they come to. */
interface Group {
  changes: readonly Change[];
  effects: readonly Effect[];
}

/**
 * What the tools of one answer want to change. Together it becomes one proposal. Each change is checked only with those
 * that touch the same paths: with all of them, the hundredth file would cost a hundred times the first.
 */
export class PendingChanges {
  readonly #appPath: string;
  readonly #changes: Change[] = [];
  /** The group of each path that a change touches. Keys are folded, because some disks ignore case. */
  readonly #groups = new Map<string, Group>();
  /** The paths below each folder that are touched. */
  readonly #below = new Map<string, Set<string>>();
  /** The spelling of each folder in these paths, by its key. */
  readonly #spelled = new Map<string, string>();

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
    const wanted = plain(change);
    if (this.#changes.length >= maxChanges) {
      throw new AgentError('limit_exceeded', `An answer changes at most ${maxChanges} files.`);
    }
    const own = new Set(pathsOf(wanted));
    const groups = this.#touchedBy(wanted);
    const earlier = new Set(groups.flatMap(({ changes }) => changes));
    // Where this change joins two groups, their changes keep the order in which they came.
    const changes = [...(groups.length > 1 ? this.#changes.filter((one) => earlier.has(one)) : earlier), wanted];
    const { proposal, plan, notes } = await this.#propose(changes);
    const isLeftOut = plan !== null && (proposal.leftOut ?? proposal.misplaced) !== undefined;
    return {
      files: proposal.files.filter(({ path, from }) => own.has(path) || (from !== undefined && own.has(from))),
      ...(plan === null && { error: proposal.error ?? 'It cannot be proposed.' }),
      // It was the last one: those before it were looked at already.
      ...(isLeftOut && { error: notes[0] ?? 'It is left out.' }),
      keep: () => this.#keep(wanted, { changes, effects: plan?.effects ?? [] }),
    };
  }

  /** What a path leads to, as if all of it were done. */
  read(path: string): Read {
    const wanted = normal(path);
    const effects = this.#groupsAt(wanted).flatMap((group) => group.effects);
    // What is there in the end counts, also where something else was moved away from.
    const there = effects.find((effect) => effect.path === wanted);
    if (there?.kind === 'write') return { state: 'written', content: there.content };
    if (there?.kind === 'move') return { state: 'on-disk', path: there.from };
    const isMovedAway = effects.some((effect) => effect.kind !== 'delete' && effect.from === wanted);
    if (there !== undefined || isMovedAway) return { state: 'gone' };
    return { state: 'on-disk', path: wanted };
  }

  #keep(change: Change, group: Group): void {
    this.#changes.push(change);
    for (const path of group.changes.flatMap(pathsOf)) this.#index(path, group);
  }

  #index(path: string, group: Group): void {
    const place = fold(path);
    if (!this.#groups.has(place)) {
      for (const folder of foldersOf(place)) this.#below.set(folder, (this.#below.get(folder) ?? new Set()).add(place));
    }
    for (const folder of foldersOf(path)) this.#spelled.set(fold(folder), folder);
    this.#groups.set(place, group);
  }

  #touchedBy(change: Change): Group[] {
    return [...new Set(pathsOf(change).flatMap((path) => this.#groupsAt(path)))];
  }

  /** The groups of the path, of the folders that hold it, and of paths below it. */
  #groupsAt(path: string): Group[] {
    const place = fold(path);
    const others = foldersOf(path).filter((folder) => (this.#spelled.get(fold(folder)) ?? folder) !== folder);
    const below = [place, ...others.map(fold)].flatMap((folder) => [...(this.#below.get(folder) ?? [])]);
    const places = [place, ...foldersOf(place), ...below];
    return [...new Set(places.flatMap((one) => this.#groups.get(one) ?? []))];
  }

  async #propose(changes: readonly Change[]): Promise<Proposed> {
    const wanted = { summary: '', changes: inOrder(changes), dependencies: [], commands: [] };
    return await inWorker('propose', [this.#appPath, wanted]);
  }
}

function pathsOf(change: Change): string[] {
  return change.type === 'rename' ? [change.from, change.to] : [change.path];
}

/** `a` and `a/b` of `a/b/c`. */
function foldersOf(path: string): string[] {
  const folders: string[] = [];
  for (let at = path.indexOf('/'); at !== -1; at = path.indexOf('/', at + 1)) folders.push(path.slice(0, at));
  return folders;
}

/** Names that are one file on some disks are looked at together, to be refused. */
function fold(path: string): string {
  return path.normalize('NFC').toLowerCase().replace(/\/+$/, '');
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
