import { AgentError, type Choice, type FileDiff, type Proposal } from '../../shared/contract/index.ts';
import { countsOf } from './proposal.ts';
import type { Effect, Plan } from './plan.ts';
import { refuseTwins } from './twins.ts';
import { withHunks, withoutHunks } from './without-hunks.ts';

interface Chosen {
  plan: Plan;
  proposal: Proposal;
}

interface ChosenFile {
  file: FileDiff;
  effects: Effect[];
  /** What was not chosen, in words for a person. */
  declined: string[];
}

/**
 * The part of a proposal that a person approves. Files and hunks that they leave out are then as if they had not been
 * proposed.
 *
 * @param app absolute
 * @throws {AgentError} `invalid_request` for a choice that does not fit the proposal, chooses nothing, or would split a
 *   rename; `unsafe_path`
 */
export async function choose(app: string, { plan, proposal }: Chosen, choice: Choice): Promise<Chosen> {
  const wanted = new Map(choice.files.map(({ path, hunks }) => [path, hunks]));
  for (const path of wanted.keys()) {
    if (!proposal.files.some((file) => file.path === path)) throw unfit(`${path} is not in this proposal.`);
  }
  const files = proposal.files.map((file) => chosenFile(file, plan, wanted.has(file.path), wanted.get(file.path)));
  const kept = files.filter(({ effects }) => effects.length > 0);
  refuseHalves(plan, kept);
  const dependencies = choice.dependencies ? plan.dependencies : [];
  if (kept.length === 0 && dependencies.length === 0) throw unfit('Nothing is chosen. Choose a part, or reject it.');
  const effects = kept.flatMap((one) => one.effects);
  await refuseTwins(app, effects);
  const skipped = choice.dependencies ? [] : plan.dependencies;
  const declined = [...files.flatMap((one) => one.declined), ...skipped];
  const paths = new Set(effects.flatMap(pathsOf));
  const base = Object.fromEntries(Object.entries(plan.base).filter(([path]) => paths.has(path)));
  return {
    plan: { ...plan, effects, dependencies, counts: countsOf(effects), base },
    proposal: {
      ...proposal,
      files: kept.map(({ file }) => file),
      dependencies,
      ...(declined.length > 0 && { declined }),
    },
  };
}

function chosenFile(file: FileDiff, plan: Plan, isChosen: boolean, hunks: readonly number[] | undefined): ChosenFile {
  const name = file.from === undefined ? file.path : `${file.from} → ${file.path}`;
  if (!isChosen) return { file, effects: [], declined: [name] };
  const effects = effectsOf(file, plan);
  const kept = new Set(hunks ?? file.hunks.keys());
  if ([...kept].some((index) => index >= file.hunks.length)) throw unfit(`${file.path} has no such hunk.`);
  if (kept.size === file.hunks.length) return { file, effects, declined: [] };
  if (file.hidden !== undefined) throw unfit(`Not all of ${file.path} can be shown, so it is approved as a whole.`);
  const left = file.hunks.length - kept.size;
  const declined = [`${left} of ${file.hunks.length} hunks of ${name}`];
  if (kept.size === 0 && file.from === undefined) return { file, effects: [], declined: [name] };
  if (file.change === 'deleted')
    throw unfit(`A part of ${file.path} cannot be deleted: approve or leave out all of it.`);
  return { file: withHunks(file, kept), effects: effects.map((effect) => partOf(effect, file, kept)), declined };
}

function partOf(effect: Effect, file: FileDiff, kept: ReadonlySet<number>): Effect {
  if (effect.kind !== 'write') return effect;
  const { path, from } = effect;
  if (kept.size === 0 && from !== undefined) return { path, kind: 'move', from };
  const dropped = file.hunks.filter((_, index) => !kept.has(index));
  const content = withoutHunks(effect.content, dropped);
  if (content === undefined) throw unfit(`The hunks of ${path} no longer fit it. Load the page again.`);
  return { ...effect, content };
}

/** The effects for a file. Those of a rename include the removal of the old path. */
function effectsOf({ path, from }: FileDiff, { effects }: Plan): Effect[] {
  return effects.filter((effect) => effect.path === path || (effect.kind === 'delete' && effect.path === from));
}

/** Refuses to split files that move into each other's places, because they are one change. */
function refuseHalves(plan: Plan, kept: readonly ChosenFile[]): void {
  const chosen = new Set(kept.flatMap(({ effects }) => effects.map(({ path }) => path)));
  const [done, left] = [true, false].map(
    (isDone) => new Set(plan.effects.filter(({ path }) => chosen.has(path) === isDone).flatMap(pathsOf)),
  ) as [Set<string>, Set<string>];
  const both = [...done].find((path) => left.has(path));
  if (both !== undefined) throw unfit(`${both} is a part of two changes. Choose both of them, or neither.`);
}

function pathsOf(effect: Effect): string[] {
  return effect.kind === 'delete' || effect.from === undefined ? [effect.path] : [effect.path, effect.from];
}

function unfit(message: string): AgentError {
  return new AgentError('invalid_request', message);
}
