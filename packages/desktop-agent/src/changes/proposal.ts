import { AgentError, type FileDiff, type Proposal } from '../contract/index.ts';
import { realApp } from '../main/git/repository.ts';
import { AppFiles, hashOf, type AppFile } from './app-files.ts';
import { checkDependencies } from './dependency-names.ts';
import { diffOf } from './diff.ts';
import type { Change, Effect, Plan, Proposed, Wanted } from './plan.ts';
import { refuseTwins } from './twins.ts';
import type { Segment } from './segments.ts';

const maxChanges = 2000;
const maxContentBytes = 5 * 1024 * 1024;
const knownCommands: ReadonlySet<string> = new Set(['rebuild', 'restart', 'refresh']);

/** What the segments of a finished answer want to change. A write that was cut off is not in it. */
export function wantedBy(segments: readonly Segment[]): Wanted {
  const changes: Change[] = [];
  const dependencies: string[] = [];
  const commands: string[] = [];
  let summary = '';
  for (const segment of segments) {
    if (segment.type === 'summary') summary = segment.text;
    if (!segment.done) continue;
    if (segment.type === 'write') {
      changes.push({ type: 'write', path: segment.path, content: withoutFence(segment.path, segment.content) });
    } else if (segment.type === 'rename') changes.push({ type: 'rename', from: segment.from, to: segment.to });
    else if (segment.type === 'delete') changes.push({ type: 'delete', path: segment.path });
    else if (segment.type === 'dependencies') dependencies.push(...segment.packages);
    else if (segment.type === 'command') commands.push(segment.command);
  }
  return { summary, changes, dependencies, commands };
}

/** Models put the content of a file into a fence at times. In a file of markdown it may be meant. */
function withoutFence(path: string, content: string): string {
  if (/\.mdx?$/i.test(path)) return content;
  const fenced = /^\s*(`{3,})[\w-]*\r?\n([^]*?)\r?\n\1\s*$/.exec(content);
  return fenced === null ? content : `${fenced[2]}\n`;
}

/**
 * Makes a proposal of what is wanted, over the files of the app as they are: deletions, then renames, then writes. Nothing
 * is written. A path that is refused fails the proposal as a whole; the reason is in `proposal.error`.
 *
 * @param appPath absolute
 * @throws {AgentError} `not_found` when the app is not there
 */
export async function propose(appPath: string, wanted: Wanted): Promise<Proposed> {
  const app = await realApp(appPath);
  const summary = oneLine(wanted.summary);
  try {
    const draft = new Draft(app, wanted.changes);
    const effects = draft.effects();
    await refuseTwins(app, effects);
    const dependencies = checkDependencies(wanted.dependencies);
    const { known, notes } = checkCommands(wanted.commands);
    const plan: Plan = {
      summary,
      effects,
      dependencies,
      commands: known,
      counts: countsOf(effects),
      base: draft.base(),
    };
    const proposal = proposalOf(plan, draft.diffs(effects));
    return { proposal, plan, notes: [...draft.notes, ...notes] };
  } catch (error) {
    if (!(error instanceof AgentError)) throw error;
    const { dependencies, commands } = wanted;
    const nothing: Plan = { ...emptyPlan, summary, dependencies: [...dependencies], commands: [...commands] };
    return { proposal: { ...proposalOf(nothing, []), state: 'failed', error: error.message }, plan: null, notes: [] };
  }
}

const emptyPlan: Plan = {
  summary: '',
  effects: [],
  dependencies: [],
  commands: [],
  counts: { wrote: 0, renamed: 0, deleted: 0 },
  base: {},
};

function proposalOf({ summary, dependencies, commands }: Plan, files: FileDiff[]): Proposal {
  return { state: 'pending', summary, files, dependencies, commands, problems: null };
}

/** What a path would be: `undefined` content is that of `origin`. */
interface Slot {
  origin: string | undefined;
  content: string | undefined;
}

class Draft {
  readonly notes: string[] = [];
  readonly #files: AppFiles;
  /** What is on the disk. */
  readonly #disk = new Map<string, AppFile | null>();
  readonly #slots = new Map<string, Slot | null>();

  constructor(app: string, changes: readonly Change[]) {
    if (changes.length > maxChanges) {
      throw new AgentError(
        'limit_exceeded',
        `The answer changes ${changes.length} files; at most ${maxChanges} at a time.`,
      );
    }
    this.#files = new AppFiles(app);
    for (const change of changes) if (change.type === 'delete') this.#delete(change.path);
    for (const change of changes) if (change.type === 'rename') this.#rename(change.from, change.to);
    const written = new Set<string>();
    for (const change of changes) {
      if (change.type !== 'write') continue;
      const path = this.#write(change.path, change.content);
      if (written.has(path)) this.notes.push(`${path} was written more than once. The last one counts.`);
      written.add(path);
    }
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

  #write(path: string, content: string): string {
    if (Buffer.byteLength(content) > maxContentBytes) {
      throw new AgentError('limit_exceeded', `${path} would be over ${maxContentBytes / 1024 / 1024} MB.`);
    }
    const plain = this.#files.check(path);
    this.#slots.set(plain, { origin: this.#slot(plain)?.origin, content });
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
    const diffs = effects.flatMap((effect) => {
      if (effect.kind === 'delete') return [];
      const from = effect.from !== undefined && gone.has(effect.from) ? effect.from : undefined;
      if (from !== undefined) moved.add(from);
      const before = this.#read(from ?? effect.path)?.bytes ?? null;
      const after = effect.kind === 'move' ? this.#read(effect.from)?.bytes : Buffer.from(effect.content);
      return [diffOf({ path: effect.path, from, before, after: after ?? null })];
    });
    for (const path of gone) {
      if (!moved.has(path)) diffs.push(diffOf({ path, before: this.#read(path)?.bytes ?? null, after: null }));
    }
    return diffs;
  }
}

function countsOf(effects: readonly Effect[]): Plan['counts'] {
  const froms = new Set(effects.flatMap((effect) => (effect.kind === 'delete' || !effect.from ? [] : [effect.from])));
  return {
    wrote: effects.filter(({ kind }) => kind === 'write').length,
    renamed: froms.size,
    deleted: effects.filter(({ kind, path }) => kind === 'delete' && !froms.has(path)).length,
  };
}

function checkCommands(commands: readonly string[]): { known: string[]; notes: string[] } {
  const known = [...new Set(commands)].filter((command) => knownCommands.has(command));
  const unknown = commands.filter((command) => !knownCommands.has(command));
  return { known, notes: unknown.map((command) => `The command ${JSON.stringify(command)} is not known.`) };
}

/** A summary is the subject of a commit. */
function oneLine(text: string): string {
  const line = text.replaceAll(/[\p{Cc}\s]+/gu, ' ').trim();
  return line === '' ? 'Change files' : [...line].slice(0, 120).join('');
}
