import { AppFiles, changedSince, type AppFile } from './app-files.ts';
import { installed } from './install.ts';
import type { Repository } from '../git/repository.ts';
import { inWorker } from '../worker/index.ts';
import type { Effect, Plan } from './plan.ts';
import { transact, type Step } from './transaction.ts';
import { withApp } from './writing.ts';

export interface ApplyOptions {
  signal?: AbortSignal;
  /** The message that proposed the plan. After a crash `recover` returns it. */
  messageId?: string;
  /** Whether install scripts of the packages may run. The caller has asked the person. The default is no. */
  installScripts?: boolean;
  /** The message of the commit. By default it says what the plan does. */
  message?: string;
  /** Called with what the package manager prints, for a person. */
  onOutput?: (text: string) => void;
}

export interface Applied {
  /** `null` when the plan changed nothing that git keeps. */
  commit: string | null;
  /** The commit before it, with what the person had changed in the same files; `null` when there was nothing. */
  personCommit: string | null;
  /** Notes for a person on what was left alone and why. */
  notes: string[];
}

/**
 * Applies a plan, all or nothing: deletions, renames, writes, dependencies, and one commit. The caller has asked the
 * person, also about the dependencies. It waits for other writers of this app.
 *
 * @throws {AgentError} `changed`, `unsafe_path`, `busy`, `no_git`, `denied`, `disk_full`, `limit_exceeded`, `internal`. The
 *   files and the commits are then as before
 */
export async function applyPlan(appPath: string, plan: Plan, options: ApplyOptions = {}): Promise<Applied> {
  const { signal } = options;
  return withApp(appPath, { signal }, async ({ repository, notes }) => {
    const { steps, merged } = await stepsOf(repository, plan);
    await using packages = await installed(repository, plan.dependencies, steps, options);
    signal?.throwIfAborted();
    const {
      commit,
      personCommit,
      notes: left,
      ignored,
      copied,
    } = await transact(repository, {
      steps: [...steps, ...packages.steps],
      message: options.message ?? commitMessageOf(plan),
      modules: packages.modules,
      messageId: options.messageId,
      keepsCopies: true,
    });
    const gone = new Set(steps.flatMap(({ path, put }) => (put === null ? [path] : [])));
    const uncommitted = ignored.map(
      (path) => `${path} was ${gone.has(path) ? 'deleted' : 'written'}, but no commit has it, because git ignores it.`,
    );
    return {
      commit,
      personCommit,
      notes: [...notes, ...left, ...merged, ...uncommitted, ...copied, ...packages.notes],
    };
  });
}

/** `[agent] SUMMARY - wrote 2 file(s), renamed 1 file(s), added zod` */
export function commitMessageOf({ summary, counts, dependencies }: Plan): string {
  const parts = [
    counts.wrote > 0 && `wrote ${counts.wrote} file(s)`,
    counts.renamed > 0 && `renamed ${counts.renamed} file(s)`,
    counts.deleted > 0 && `deleted ${counts.deleted} file(s)`,
    dependencies.length > 0 && `added ${dependencies.join(', ')}`,
  ].filter((part) => part !== false);
  return `[agent] ${summary}${parts.length > 0 ? ` - ${parts.join(', ')}` : ''}`;
}

/** The steps of a plan over the files as they are now. Changes that were made since are merged if possible. */
async function stepsOf(repository: Repository, plan: Plan): Promise<{ steps: Step[]; merged: string[] }> {
  const files = new AppFiles(repository.app);
  const now = new Map<string, AppFile | null>();
  const merged: string[] = [];
  let effects = plan.effects;
  for (const [path, hash] of Object.entries(plan.base)) {
    const file = files.read(path);
    now.set(path, file);
    if ((file?.hash ?? null) === hash) continue;
    const effect = effects.find((one) => one.path === path);
    const others = effects.filter((one) => one.kind !== 'delete' && one.from === path);
    if (effect?.kind !== 'write' || effect.from !== undefined || others.length > 0) throw changedSince(path);
    const sides = { path, hash, now: file?.bytes, proposed: effect.content };
    const content = await contentSince(repository, sides);
    if (content === undefined) throw changedSince(path);
    effects = effects.map((one) => (one === effect ? { ...effect, content } : one));
    merged.push(`${path} was changed after this was proposed. It now has both changes.`);
  }
  const steps = effects.map((effect) => {
    const path = files.check(effect.path);
    return { path, put: putOf(effect, now), base: now.get(path)?.hash ?? null };
  });
  return { steps, merged };
}

async function contentSince(
  repository: Repository,
  { path, hash, now, proposed }: { path: string; hash: string | null; now: Buffer | undefined; proposed: string },
): Promise<string | undefined> {
  // Someone has already made the same change.
  if (now?.equals(Buffer.from(proposed)) === true) return proposed;
  return hash === null || now === undefined
    ? undefined
    : inWorker('mergedSince', [repository.app, { path, hash, now, proposed }]);
}

function putOf(effect: Effect, now: ReadonlyMap<string, AppFile | null>): Step['put'] {
  if (effect.kind === 'delete') return null;
  const source = now.get(effect.from ?? effect.path);
  if (effect.kind === 'write') return { bytes: Buffer.from(effect.content), executable: source?.executable ?? false };
  if (source === undefined || source === null) throw changedSince(effect.from);
  return { bytes: source.bytes, executable: source.executable };
}
