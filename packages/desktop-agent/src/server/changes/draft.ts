// The files of an app as an answer would change them. Nothing on the disk is touched.
import { AgentError, type FileDiff } from '../../shared/contract/index.ts';
import { AppFiles, hashOf, type AppFile } from './app-files.ts';
import { DiffTime, isBinary, reviewedDiffOf } from './diff.ts';
import { applyEdit, EditRefused, linesBefore } from './edits/index.ts';
import { withLineEndsOf } from './line-ends.ts';
import type { Change, Effect, Plan } from './plan.ts';

/** The most changes of one answer. */
export const maxChanges = 2000;
const maxContentBytes = 5 * 1024 * 1024;

/** What a path would be. If `content` is `undefined`, it is that of `origin`. */
interface Slot {
  origin: string | undefined;
  content: string | undefined;
}

/** A change that is left out, with the reason. `misplaced` is the index of an edit that does not fit. */
interface LeftOut {
  path: string;
  why: string;
  misplaced?: number;
}

/** Makes deletions, then renames, then writes and edits, over the files on the disk. */
export class Draft {
  readonly notes: string[] = [];
  /** Changes that are left out. The rest of the answer is still made. */
  readonly leftOut: LeftOut[] = [];
  readonly #files: AppFiles;
  /** The files on the disk that were read. */
  readonly #disk = new Map<string, AppFile | null>();
  readonly #slots = new Map<string, Slot | null>();
  /** For each path, how its edits differ from what was asked for. */
  readonly #inexact = new Map<string, string[]>();

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
    for (const [index, change] of changes.entries()) {
      if (change.type === 'edit') this.#unlessRefused(change.path, () => this.#edit(change), index);
      if (change.type === 'refused') this.leftOut.push({ path: change.path, why: change.why, misplaced: index });
      if (change.type !== 'write') continue;
      const path = this.#unlessRefused(change.path, () => this.#write(change));
      if (path === undefined) continue;
      if (written.has(path)) this.notes.push(`${path} was written more than once. The last one counts.`);
      written.add(path);
    }
  }

  /** Leaves a change out if the guard refuses its path or it could not be shown. */
  #unlessRefused<T>(path: string, make: () => T, index?: number): T | undefined {
    const before = new Map(this.#slots);
    try {
      return make();
    } catch (error) {
      if (error instanceof EditRefused && index !== undefined) {
        this.leftOut.push({ path, why: error.message, misplaced: index });
        return undefined;
      }
      if (!(error instanceof AgentError) || !['unsafe_path', 'limit_exceeded'].includes(error.code)) throw error;
      this.#slots.clear();
      for (const [place, slot] of before) this.#slots.set(place, slot);
      this.leftOut.push({ path, why: error.message });
      return undefined;
    }
  }

  /** Deletes a file, or all files of a folder. */
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

  #edit({ path, hunks, isNew = false }: Extract<Change, { type: 'edit' }>): void {
    const plain = this.#files.check(path);
    const slot = this.#slot(plain);
    const before = slot === null ? '' : this.#textOf(plain, slot);
    if (slot === null && !isNew && hunks.some((hunk) => linesBefore(hunk).length > 0)) {
      throw new EditRefused('There is no such file. Write it as a whole, or name the one that is meant.');
    }
    if (isNew && before !== '') throw new EditRefused('The diff says that this file is new, and there is one.');
    const { text, inexact } = applyEdit(before, hunks);
    checkContent(plain, text);
    this.#slots.set(plain, { origin: slot?.origin, content: text });
    this.#inexact.set(plain, [...(this.#inexact.get(plain) ?? []), ...inexact]);
  }

  #textOf(path: string, { content, origin }: Slot): string {
    if (content !== undefined || origin === undefined) return content ?? '';
    const bytes = this.#read(origin)?.bytes ?? Buffer.alloc(0);
    if (isBinary(bytes)) throw new EditRefused('It is not a text file, so lines of it cannot be changed.');
    if (bytes.length > maxContentBytes) throw tooLarge(path);
    return bytes.toString('utf8');
  }

  #write({ path, content, exact }: Extract<Change, { type: 'write' }>): string {
    checkContent(path, content);
    const plain = this.#files.check(path);
    this.#inexact.delete(plain);
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
      const inexact = this.#inexact.get(effect.path) ?? [];
      const diff = reviewedDiffOf({ path: effect.path, from, before, after: after ?? null }, time);
      diffs.push({ ...diff, ...(inexact.length > 0 && { inexact }) });
    }
    for (const path of gone) {
      if (moved.has(path)) continue;
      diffs.push(reviewedDiffOf({ path, before: this.#read(path)?.bytes ?? null, after: null }, time));
    }
    return diffs;
  }
}

/** @throws {AgentError} `limit_exceeded` */
export function checkContent(path: string, content: string): void {
  if (Buffer.byteLength(content) > maxContentBytes) throw tooLarge(path);
  // The page could not show its lines, and a person could not see what they approve.
  if (content.includes('\0')) {
    const what = `${path} would have a NUL byte. It would not be a text file and could not be shown.`;
    throw new AgentError('limit_exceeded', what);
  }
}

function tooLarge(path: string): AgentError {
  return new AgentError('limit_exceeded', `${path} would be over ${maxContentBytes / 1024 / 1024} MB.`);
}

function tooMany(count: number): AgentError {
  return new AgentError('limit_exceeded', `The answer changes ${count} files; at most ${maxChanges} at a time.`);
}
