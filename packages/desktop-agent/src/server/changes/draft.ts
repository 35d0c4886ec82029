// What an answer would make of the files of an app, without touching them.
import { AgentError, type FileDiff } from '../../shared/contract/index.ts';
import { AppFiles, hashOf, type AppFile } from './app-files.ts';
import { DiffTime, reviewedDiffOf } from './diff.ts';
import { withLineEndsOf } from './line-ends.ts';
import type { Change, Effect, Plan } from './plan.ts';

/** The most changes of one answer. */
export const maxChanges = 2000;
const maxContentBytes = 5 * 1024 * 1024;

/** What a path would be: `undefined` content is that of `origin`. */
interface Slot {
  origin: string | undefined;
  content: string | undefined;
}

/** Deletions, then renames, then writes, over what is on the disk. */
export class Draft {
  readonly notes: string[] = [];
  /** Changes that are not made, with the reason of each: the rest of a good answer is. */
  readonly leftOut: { path: string; why: string }[] = [];
  readonly #files: AppFiles;
  /** What is on the disk. */
  readonly #disk = new Map<string, AppFile | null>();
  readonly #slots = new Map<string, Slot | null>();

  constructor(app: string, changes: readonly Change[]) {
    if (changes.length > maxChanges) {
      throw tooMany(changes.length);
    }
    this.#files = new AppFiles(app);
    for (const change of changes) {
      if (change.type === 'delete') this.#unlessRefused(change.path, () => this.#deleteAll(change.path));
    }
    for (const change of changes) {
      if (change.type === 'rename') this.#unlessRefused(change.from, () => this.#renameAll(change.from, change.to));
    }
    const written = new Set<string>();
    for (const change of changes) {
      if (change.type !== 'write') continue;
      const path = this.#unlessRefused(change.path, () => this.#write(change));
      if (path === undefined) continue;
      if (written.has(path)) this.notes.push(`${path} was written more than once. The last one counts.`);
      written.add(path);
    }
  }

  /** What the guard of paths refuses, or what could not be shown, is left out. */
  #unlessRefused<T>(path: string, make: () => T): T | undefined {
    const before = new Map(this.#slots);
    try {
      return make();
    } catch (error) {
      if (!(error instanceof AgentError) || !['unsafe_path', 'limit_exceeded'].includes(error.code)) throw error;
      this.#slots.clear();
      for (const [place, slot] of before) this.#slots.set(place, slot);
      this.leftOut.push({ path, why: error.message });
      return undefined;
    }
  }

  /** A file, or the files of a folder. */
  #deleteAll(path: string): void {
    for (const file of this.#files.below(path) ?? [path]) this.#delete(file);
  }

  #renameAll(from: string, to: string): void {
    const files = this.#files.below(from);
    if (files === null) return this.#rename(from, to);
    const [source, target] = [from, to].map((path) => path.replace(/\/+$/, ''));
    const prefix = this.#files.check(`${source}/x`).slice(0, -1);
    for (const file of files) this.#rename(file, `${target}/${file.slice(prefix.length)}`);
  }

  #delete(path: string): void {
    const plain = this.#files.check(path);
    if (this.#slot(plain) === null) this.notes.push(`${plain} was to be deleted, and is not there.`);
    this.#slots.set(plain, null);
  }

  #rename(from: string, to: string): void {
    const [source, target] = [this.#files.check(from), this.#files.check(to)];
    if (source === target) return;
    const slot = this.#slot(source);
    if (slot === null) throw new AgentError('not_found', `${source} was to be renamed, and is not there.`);
    if (this.#slot(target) !== null) {
      throw new AgentError(
        'unsafe_path',
        `${source} was to be renamed to ${target}, and there is a file by that name.`,
      );
    }
    this.#slots.set(target, slot);
    this.#slots.set(source, null);
  }

  #write({ path, content, exact }: Extract<Change, { type: 'write' }>): string {
    if (Buffer.byteLength(content) > maxContentBytes) {
      throw new AgentError('limit_exceeded', `${path} would be over ${maxContentBytes / 1024 / 1024} MB.`);
    }
    // No page would show its lines, and nobody could know what they approve.
    if (content.includes('\0')) {
      throw new AgentError(
        'limit_exceeded',
        `${path} would have a NUL byte. It would not be a text file and could not be shown.`,
      );
    }
    const plain = this.#files.check(path);
    const origin = this.#slot(plain)?.origin;
    const before = origin === undefined ? undefined : this.#read(origin)?.bytes;
    this.#slots.set(plain, {
      origin,
      content: before === undefined || exact === true ? content : withLineEndsOf(before, content),
    });
    return plain;
  }

  #slot(path: string): Slot | null {
    const slot = this.#slots.get(path);
    if (slot !== undefined) return slot;
    return this.#read(path) === null ? null : { origin: path, content: undefined };
  }

  #read(path: string): AppFile | null {
    const known = this.#disk.get(path);
    if (known !== undefined) return known;
    const file = this.#files.read(path);
    this.#disk.set(path, file);
    return file;
  }

  effects(): Effect[] {
    if (this.#slots.size > 2 * maxChanges) throw tooMany(this.#slots.size);
    const effects: Effect[] = [];
    for (const [path, slot] of this.#slots) {
      const disk = this.#read(path);
      if (slot === null) {
        if (disk !== null) effects.push({ path, kind: 'delete' });
      } else if (slot.content === undefined) {
        if (slot.origin !== undefined && slot.origin !== path) effects.push({ path, kind: 'move', from: slot.origin });
      } else if (disk === null || slot.origin !== path || disk.hash !== hashOf(slot.content)) {
        const from = slot.origin === path ? undefined : slot.origin;
        effects.push({ path, kind: 'write', content: slot.content, ...(from !== undefined && { from }) });
      } else this.notes.push(`${path} is already as it was to be written.`);
    }
    return effects;
  }

  base(): Plan['base'] {
    for (const path of this.#slots.keys()) this.#read(path);
    return Object.fromEntries([...this.#disk].map(([path, file]) => [path, file?.hash ?? null]));
  }

  diffs(effects: readonly Effect[]): FileDiff[] {
    const gone = new Set(effects.flatMap((effect) => (effect.kind === 'delete' ? [effect.path] : [])));
    const moved = new Set<string>();
    const time = new DiffTime();
    const diffs: FileDiff[] = [];
    for (const effect of effects) {
      if (effect.kind === 'delete') continue;
      const from = effect.from !== undefined && gone.has(effect.from) ? effect.from : undefined;
      if (from !== undefined) moved.add(from);
      const before = this.#read(from ?? effect.path)?.bytes ?? null;
      const after = effect.kind === 'move' ? this.#read(effect.from)?.bytes : Buffer.from(effect.content);
      diffs.push(reviewedDiffOf({ path: effect.path, from, before, after: after ?? null }, time));
    }
    for (const path of gone) {
      if (moved.has(path)) continue;
      diffs.push(reviewedDiffOf({ path, before: this.#read(path)?.bytes ?? null, after: null }, time));
    }
    return diffs;
  }
}

function tooMany(count: number): AgentError {
  return new AgentError('limit_exceeded', `The answer changes ${count} files; at most ${maxChanges} at a time.`);
}
