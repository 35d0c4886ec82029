import { printable } from '@mustard-sandbox/protocol/text';
import {
  formatBytes,
  type AttachmentStore,
  type Removed,
  type ScriptOutput,
  type StoredAttachment,
} from '@mustard-sandbox/agent-tool';
import { parseAge } from '../../arguments.ts';
import { closest } from '../../closest.ts';
import { exitCodes } from '../../exit-code.ts';
import { UsageError } from '../../failure.ts';
import { openStore, type StoreFlags } from '../../media.ts';
import { styled, writeLine } from '../../output.ts';
import type { Report } from '../../report.ts';

/** The flags as they were typed. */
export interface CleanFlags extends StoreFlags {
  olderThan?: string;
  all?: boolean;
  keep: string[];
  dryRun?: boolean;
  quiet?: boolean;
}

type Stored = StoredAttachment | ScriptOutput;

/** What to remove: these names, everything older than an age, or only files that nothing needs. */
type Choice =
  { kind: 'names'; names: Set<string> } | { kind: 'age'; olderThanMs: number; keep: Set<string> } | { kind: 'waste' };

/** @throws {UsageError | AttachmentError} */
export async function clean(names: string[], flags: CleanFlags, signal: AbortSignal): Promise<Report> {
  const { dryRun = false } = flags;
  const choice = choose(names, flags);
  const store = openStore(flags);
  const files = await store.list();
  if (choice.kind === 'names') checkNames(choice.names, files, 'clean');
  if (choice.kind === 'age') checkNames(choice.keep, files, '--keep');
  // The rest takes only a moment, so an interrupt must no longer stop it half-way.
  signal.throwIfAborted();
  const removed = dryRun ? foreseen(choice, files) : await remove(store, choice, files);
  return {
    json: { ok: true, dryRun, removed: removed.names, files: removed.files, bytes: removed.bytes },
    print() {
      const lines = removed.names.map((name) => printable(`attachments:${name}`));
      if (lines.length > 0) writeLine(process.stdout, lines.join('\n'));
      if (flags.quiet !== true)
        writeLine(process.stderr, styled(process.stderr, 'dim', summary(removed, flags, choice)));
    },
    exitCode: exitCodes.done,
  };
}

/** @throws {UsageError} */
function choose(names: string[], { olderThan, all = false, keep, dryRun = false }: CleanFlags): Choice {
  const ways = [names.length > 0, olderThan !== undefined, all].filter(Boolean).length;
  if (ways > 1) throw new UsageError('clean: names, --older-than and --all exclude each other.');
  if (keep.length > 0 && olderThan === undefined && !all) {
    throw new UsageError('--keep: it is an exception from --older-than or --all, and neither is there.');
  }
  if (dryRun && ways === 0) {
    throw new UsageError('--dry-run: there is nothing to try.', 'say what would go: a name, --older-than AGE or --all');
  }
  if (names.length > 0) return { kind: 'names', names: new Set(names.map(plainName)) };
  if (ways === 0) return { kind: 'waste' };
  const olderThanMs = olderThan === undefined ? 0 : parseAge('--older-than', olderThan);
  return { kind: 'age', olderThanMs, keep: new Set(keep.map(plainName)) };
}

function plainName(text: string): string {
  return text.replace(/^attachments:/, '').normalize('NFC');
}

/** Refuses unknown names, because a misspelt `--keep` would remove the file that it should keep. */
function checkNames(names: ReadonlySet<string>, files: readonly Stored[], what: string): void {
  const there = files.map(({ name }) => name);
  for (const name of names) {
    if (there.includes(name)) continue;
    const near = closest(name, there);
    const hint = near === undefined ? '`mustard-sandbox ls` lists what is stored' : `did you mean '${near}'?`;
    throw new UsageError(`${what}: nothing is stored as '${name}', so nothing was removed.`, hint);
  }
}

async function remove(store: AttachmentStore, choice: Choice, files: readonly Stored[]): Promise<Removed> {
  switch (choice.kind) {
    case 'waste':
      return await store.prune();
    case 'age':
      return await store.cleanup({ olderThanMs: choice.olderThanMs, keep: choice.keep });
    case 'names': {
      const gone = new Set<string>();
      for (const name of choice.names) if (await store.remove(name)) gone.add(name);
      return sumOf(gone, files);
    }
  }
}

function foreseen(choice: Choice, files: readonly Stored[]): Removed {
  if (choice.kind !== 'age') return sumOf(choice.kind === 'names' ? choice.names : new Set(), files);
  const before = Date.now() - choice.olderThanMs;
  const old = files.filter(({ name, storedAt }) => Date.parse(storedAt) <= before && !choice.keep.has(name));
  return sumOf(new Set(old.map(({ name }) => name)), files);
}

/** How many bytes removing `names` frees. A file that another name shares stays. */
function sumOf(names: ReadonlySet<string>, files: readonly Stored[]): Removed {
  const needed = new Set(files.filter(({ name }) => !names.has(name)).map(({ path }) => path));
  const sizes = new Map(files.filter(({ path }) => !needed.has(path)).map(({ path, size }) => [path, size]));
  const bytes = [...sizes.values()].reduce((sum, size) => sum + size, 0);
  return { names: [...names], files: sizes.size, bytes };
}

function summary({ names, files, bytes }: Removed, { dryRun = false }: CleanFlags, { kind }: Choice): string {
  const what = [names.length, names.length === 1 ? 'attachment' : 'attachments'].join(' ');
  const text = `${dryRun ? 'would remove' : 'removed'} ${what} · ${files} ${files === 1 ? 'file' : 'files'}, ${formatBytes(bytes)}`;
  return kind === 'waste' ? `${text} · to remove attachments: a name, --older-than AGE or --all` : text;
}
