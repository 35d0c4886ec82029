import { AgentError, type FileDiff, type Proposal } from '../../shared/contract/index.ts';
import { notKept } from '../git/not-kept.ts';
import { openRepository, realApp } from '../git/repository.ts';
import { checkDependencies } from './dependency-names.ts';
import { AppFiles } from './app-files.ts';
import { Draft } from './draft.ts';
import { changesOfEdit } from './edits/index.ts';
import { refuseUninstallable } from './installable.ts';
import type { Change, Effect, Plan, Proposed, Wanted } from './plan.ts';
import { refuseTwins } from './twins.ts';
import type { Segment } from '../../shared/tags/segments.ts';

/** The most reasons that are shown, because a person reads no more. */
const maxReasons = 5;
const knownCommands: ReadonlySet<string> = new Set(['rebuild', 'restart', 'refresh']);

/** What the segments of a finished answer want to change. A write that was cut off is left out. */
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
    } else if (segment.type === 'edit') {
      changes.push(...changesOfEdit(segment.path, withoutFence(segment.path, segment.content)));
    } else if (segment.type === 'rename') changes.push({ type: 'rename', from: segment.from, to: segment.to });
    else if (segment.type === 'delete') changes.push({ type: 'delete', path: segment.path });
    else if (segment.type === 'dependencies') dependencies.push(...segment.packages);
    else if (segment.type === 'command') commands.push(segment.command);
  }
  return { summary, changes, dependencies, commands };
}

/** Removes a fence, into which models sometimes put the content of a file. In a markdown file it may be intended. */
function withoutFence(path: string, content: string): string {
  if (/\.mdx?$/i.test(path)) return content;
  const fenced = /^\s*(`{3,})[\w-]*\r?\n([^]*?)\r?\n\1\s*$/.exec(content);
  return fenced === null ? content : `${fenced[2]}\n`;
}

/**
 * Makes a proposal for the files of the app as they are: deletions, then renames, then writes. Nothing is written. A refused
 * path is left out and named. If nothing is left, or anything else is wrong, the reason is in `proposal.error`.
 *
 * @param appPath absolute
 * @throws {AgentError} `not_found` when the app is gone
 */
export async function propose(appPath: string, wanted: Wanted): Promise<Proposed> {
  const app = await realApp(appPath);
  const summary = oneLine(wanted.summary);
  let draft: Draft | undefined;
  try {
    draft = new Draft(app, wanted.changes);
    const effects = draft.effects();
    await refuseTwins(app, effects);
    const dependencies = checkDependencies(wanted.dependencies);
    if (dependencies.length > 0) refuseUninstallable(app, (path) => textAfter(app, effects, path));
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
    if (draft.leftOut.length > 0) {
      if (effects.length + dependencies.length + known.length === 0) throw nothingLeft(draft.leftOut);
      // A person should look at an answer of which a part is missing.
      Object.assign(proposal, { ...leftOutOf(draft), needsPerson: true });
    }
    // A person should see where an inexact edit was put.
    if (proposal.files.some(({ inexact }) => inexact !== undefined)) proposal.needsPerson = true;
    const omitted = draft.leftOut.map(whyLeftOut);
    const lost = await lostBy(app, plan);
    const warnings = lost.map(
      (path) => `${path} is not kept by git. A copy of what it is now will be in .git/mustard-agent.`,
    );
    if (lost.length > 0) proposal.needsPerson = true;
    return {
      proposal,
      plan,
      notes: [...omitted, ...draft.notes, ...notes, ...warnings],
      misplaced: misplacedIn(draft),
    };
  } catch (error) {
    if (!(error instanceof AgentError)) throw error;
    const { dependencies, commands } = wanted;
    const nothing: Plan = { ...emptyPlan, summary, dependencies: [...dependencies], commands: [...commands] };
    const failed: Proposal = { ...proposalOf(nothing, []), state: 'failed', error: error.message };
    if (draft !== undefined) Object.assign(failed, leftOutOf(draft));
    return { proposal: failed, plan: null, notes: [], misplaced: draft === undefined ? [] : misplacedIn(draft) };
  }
}

function nothingLeft(leftOut: Draft['leftOut']): AgentError {
  const reasons = leftOut.slice(0, maxReasons).map((one) => (one.misplaced === undefined ? one.why : whyLeftOut(one)));
  return new AgentError('unsafe_path', reasons.join(' '));
}

function whyLeftOut({ path, why }: Draft['leftOut'][number]): string {
  return `${JSON.stringify(path)} is left out: ${why}`;
}

/** The refused changes, and the edits that the model only has to state better. */
function leftOutOf({ leftOut }: Draft): Pick<Proposal, 'leftOut' | 'misplaced'> {
  const refused = leftOut.filter(({ misplaced }) => misplaced === undefined).map(({ path }) => path);
  const misplaced = leftOut.filter((one) => one.misplaced !== undefined).map(({ path, why }) => ({ path, why }));
  return { ...(refused.length > 0 && { leftOut: refused }), ...(misplaced.length > 0 && { misplaced }) };
}

function misplacedIn({ leftOut }: Draft): number[] {
  return leftOut.flatMap(({ misplaced }) => misplaced ?? []);
}

/** The text of a file after the effects. */
function textAfter(app: string, effects: readonly Effect[], path: string): string | undefined {
  const effect = effects.find((one) => one.path === path);
  if (effect?.kind === 'write') return effect.content;
  if (effect?.kind === 'delete') return undefined;
  return new AppFiles(app).read(effect?.from ?? path)?.bytes.toString('utf8');
}

/** The files that a plan replaces or deletes and that git could not restore. */
async function lostBy(app: string, { effects, base }: Plan): Promise<string[]> {
  const moved = new Set(effects.flatMap((effect) => (effect.kind === 'move' ? [effect.from] : [])));
  const paths = effects.map(({ path }) => path).filter((path) => typeof base[path] === 'string' && !moved.has(path));
  try {
    return paths.length === 0 ? [] : await notKept(await openRepository(app), paths);
  } catch (error) {
    // Without a usable repository, nothing can be applied either.
    if (error instanceof AgentError) return [];
    throw error;
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

/** The numbers in the message of the commit. */
export function countsOf(effects: readonly Effect[]): Plan['counts'] {
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
  return { known, notes: unknown.map((command) => `The command ${JSON.stringify(command)} is unknown.`) };
}

/** Makes a summary one line, because it becomes the subject of a commit. */
function oneLine(text: string): string {
  const line = text.replaceAll(/[\p{Cc}\s]+/gu, ' ').trim();
  return line === '' ? 'Change files' : [...line].slice(0, 120).join('');
}
