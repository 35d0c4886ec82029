// From what an answer wants to the proposal that a person sees, with the problems that it would have.
import type { Plan, Proposed, Wanted } from '../../changes/index.ts';
import type { Problem, Proposal } from '../../../shared/contract/index.ts';
import { describeFailure } from '../../models/failure.ts';
import { inWorker } from '../../worker/index.ts';
import type { Turn } from '../turn.ts';
import { overlayOfPlan } from './plan-overlay.ts';

/** How often problems go back to the model. */
const maxFixes = 2;
const maxProblemsTold = 50;

/** Asks the model once more. `plan` is what stands proposed; gives all that is wanted then. */
export type Fix = (instruction: string, plan: Plan) => Promise<Wanted>;

interface Offer {
  proposal: Proposal;
  plan: Plan | null;
  notes: readonly string[];
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
  const { proposal, plan, notes }: Proposed = await inWorker('propose', [app.path, wanted], { signal });
  if (plan === null) return { proposal, plan, notes };
  try {
    const { problems, unchecked } = await services.findProblems(app, overlayOfPlan(plan), signal);
    if (unchecked === null) return { proposal: { ...proposal, problems }, plan, notes };
    const hasTypes = unchecked.reason !== 'no-typescript' && unchecked.reason !== 'no-config';
    const why = { unchecked: unchecked.message, ...(hasTypes && { needsPerson: true }) };
    return { proposal: { ...proposal, ...why }, plan, notes };
  } catch (error) {
    // A check that fails must not lose what the model made.
    services.onError('the problems of a proposal were not looked for', error);
    const unchecked = 'The check failed. The log has the details.';
    return { proposal: { ...proposal, unchecked, needsPerson: true }, plan, notes };
  }
}

async function fixProblems(turn: Turn, first: Offer, fix: Fix): Promise<Offer> {
  let best = first;
  for (let count = 0; count < maxFixes; count++) {
    const { plan, proposal } = best;
    // What a package would bring is not known before it is installed.
    if (plan === null || plan.dependencies.length > 0 || countOf(proposal) === 0) break;
    turn.live.append(
      'text',
      `\n\n**The types do not fit (${count + 1} of at most ${maxFixes} attempts to mend it).**\n\n`,
    );
    const next = await look(turn, await fix(instructionFor(proposal.problems ?? []), plan));
    if (next.plan === null || next.proposal.problems === null || countOf(next.proposal) >= countOf(proposal)) {
      turn.live.append('text', '\n\nThat did not help: the proposal is the one before.');
      break;
    }
    best = next;
  }
  return best;
}

function countOf({ problems }: Proposal): number {
  return problems?.length ?? 0;
}

function instructionFor(problems: readonly Problem[]): string {
  const lines = problems
    .slice(0, maxProblemsTold)
    .map(({ path, line, column, code, message }) => `${path}:${line}:${column} ${code}: ${message}`);
  const more = problems.length - lines.length;
  if (more > 0) lines.push(`… and ${more} more`);
  return `With what you propose, the type check of the app finds:\n\n${lines.join('\n')}\n\nMend this. What you proposed stays proposed: give only the files that change once more, each as a whole.`;
}
