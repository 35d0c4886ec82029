// From what an answer wants to the proposal that a person sees, with the problems that it would have.
import type { Plan, Wanted } from '../../changes/index.ts';
import type { Problem, Proposal } from '../../../shared/contract/index.ts';
import { describeFailure } from '../../models/failure.ts';
import { inWorker } from '../../worker/index.ts';
import { misplacedWords } from '../history.ts';
import type { Turn } from '../turn.ts';
import { overlayOfPlan } from './plan-overlay.ts';

/** How often problems go back to the model. */
const maxFixes = 2;
const maxProblemsTold = 50;

/** Asks the model once more. `plan` is what stands proposed, by what was `fitting` of it; gives all that is wanted then. */
export type Fix = (instruction: string, plan: Plan | null, fitting: Wanted) => Promise<Wanted>;

interface Offer {
  proposal: Proposal;
  plan: Plan | null;
  notes: readonly string[];
  /** What was wanted, without edits that do not fit. */
  fitting: Wanted;
}

/** Puts the proposal into the message, after the model had its chance to mend what is wrong with it. */
export async function offer(turn: Turn, wanted: Wanted, fix: Fix): Promise<void> {
  const { live, settings, signal } = turn;
  let best = await look(turn, wanted);
  try {
    if (settings.autoFix) best = await fixProblems(turn, best, fix);
  } catch (error) {
    if (!signal.aborted) {
      live.append('text', `\n\nThe problems could not be given back. ${describeFailure(error, turn.model)}`);
    }
  } finally {
    // Also when it was stopped while it was being mended: what there was before is whole.
    if (best.notes.length > 0) live.append('text', `\n\n${best.notes.map((note) => `- ${note}`).join('\n')}`);
    live.setProposal(best.proposal, best.plan);
  }
  signal.throwIfAborted();
}

async function look({ app, services, signal }: Turn, wanted: Wanted): Promise<Offer> {
  const { proposal, plan, notes, misplaced } = await inWorker('propose', [app.path, wanted], { signal });
  const unfit = new Set(misplaced);
  const fitting = { ...wanted, changes: wanted.changes.filter((_, index) => !unfit.has(index)) };
  if (plan === null) return { proposal, plan, notes, fitting };
  try {
    const { problems, unchecked } = await services.findProblems(app, overlayOfPlan(plan), signal);
    if (unchecked === null) return { proposal: { ...proposal, problems }, plan, notes, fitting };
    const hasTypes = unchecked.reason !== 'no-typescript' && unchecked.reason !== 'no-config';
    const why = { unchecked: unchecked.message, ...(hasTypes && { needsPerson: true }) };
    return { proposal: { ...proposal, ...why }, plan, notes, fitting };
  } catch (error) {
    // A check that fails must not lose what the model made.
    services.onError('the problems of a proposal were not looked for', error);
    const unchecked = 'The check failed. The log has the details.';
    return { proposal: { ...proposal, unchecked, needsPerson: true }, plan, notes, fitting };
  }
}

async function fixProblems(turn: Turn, first: Offer, fix: Fix): Promise<Offer> {
  let best = first;
  for (let count = 0; count < maxFixes; count++) {
    const { plan, proposal, fitting } = best;
    const unfit = proposal.misplaced?.length ?? 0;
    // What a package would bring is not known before it is installed.
    const isUnknown = plan === null || plan.dependencies.length > 0;
    if (unfit === 0 && (isUnknown || countOf(proposal) === 0)) break;
    const what = unfit > 0 ? 'Some edits do not fit their files' : 'The types do not fit';
    turn.live.append('text', `\n\n**${what} (${count + 1} of at most ${maxFixes} attempts to mend it).**\n\n`);
    const next = await look(turn, await fix(instructionFor(proposal), plan, fitting));
    if (!isBetter(next, best)) {
      turn.live.append('text', '\n\nThat did not help: the proposal is the one before.');
      break;
    }
    best = next;
  }
  return best;
}

/** Fewer edits that do not fit, or as many and fewer problems. */
function isBetter(next: Offer, best: Offer): boolean {
  const [unfit, before] = [next, best].map(({ proposal }) => proposal.misplaced?.length ?? 0) as [number, number];
  if (next.plan === null || unfit > before) return false;
  return unfit < before || (next.proposal.problems !== null && countOf(next.proposal) < countOf(best.proposal));
}

function countOf({ problems }: Proposal): number {
  return problems?.length ?? 0;
}

function instructionFor({ problems, misplaced = [] }: Proposal): string {
  const said: string[] = [];
  if (misplaced.length > 0) {
    said.push(
      `${misplacedWords(misplaced)}\n\nThe rest stands proposed. Give only these edits once more, or whole files.`,
    );
  }
  if (problems !== null && problems.length > 0) {
    said.push(
      `With what you propose, the type check of the app finds:\n\n${linesOf(problems)}\n\nMend this. What you proposed stays proposed: give only what changes once more, as edits of it or as whole files.`,
    );
  }
  return said.join('\n\n');
}

function linesOf(problems: readonly Problem[]): string {
  const lines = problems
    .slice(0, maxProblemsTold)
    .map(({ path, line, column, code, message }) => `${path}:${line}:${column} ${code}: ${message}`);
  const more = problems.length - lines.length;
  if (more > 0) lines.push(`… and ${more} more`);
  return lines.join('\n');
}
