// Build: the answer contains tags, and they become a proposal.
import type { ModelMessage } from 'ai';
import {
  createTagParser,
  endsInsideWrite,
  joinContinuation,
  parseTags,
  wantedBy,
  type Segment,
  type Wanted,
} from '../../../changes/index.ts';
import { filesFor, rulesFor } from '../app-files.ts';
import { historyOf } from '../history.ts';
import { prepareQuestion } from '../prepare-question.ts';
import { offer } from '../proposals/offer.ts';
import { overlayOfPlan } from '../proposals/plan-overlay.ts';
import { goOn, systemPrompt } from '../prompts.ts';
import { SegmentParts } from '../segment-parts.ts';
import { speak } from '../speak.ts';
import type { Answered, Turn } from '../turn.ts';
import type { Overlay } from '../../context/index.ts';

/** How many questions and answers before this one the model gets. */
const turnsBefore = 10;
/** How often an answer that ends inside of a file is gone on with. */
const maxContinuations = 2;

export async function build(turn: Turn): Promise<Answered> {
  const message = await prepareQuestion(turn, { mode: 'default-chat' });
  const messages = [...historyOf(turn.past, { turns: turnsBefore, tools: false }), message];
  const segments = await buildAnswer(turn, await promptFor(turn), messages);
  let wanted = wantedBy(segments);
  if (wanted.changes.length + wanted.dependencies.length + wanted.commands.length > 0) {
    await offer(turn, wanted, async (instruction, plan) => {
      const before = [...messages, ...turn.said];
      const instructed: ModelMessage = { role: 'user', content: instruction };
      turn.said.push(instructed);
      const mended = await buildAnswer(turn, await promptFor(turn, overlayOfPlan(plan)), [...before, instructed]);
      wanted = joined(wanted, wantedBy(mended));
      return wanted;
    });
  }
  const summary = segments.findLast((segment) => segment.type === 'summary')?.text ?? '';
  return summary === '' ? {} : { title: summary };
}

/** Joins what two answers want, the second after the first. The title is that of the first. */
function joined(first: Wanted, second: Wanted): Wanted {
  return {
    summary: first.summary,
    changes: [...first.changes, ...second.changes],
    dependencies: [...new Set([...first.dependencies, ...second.dependencies])],
    commands: [...new Set([...first.commands, ...second.commands])],
  };
}

/** The prompt with the files as they would be with what is proposed. */
async function promptFor(turn: Turn, overlay?: Overlay): Promise<string> {
  return systemPrompt({ mode: 'build', rules: rulesFor(turn.app.path), files: await filesFor(turn, overlay) });
}

/** One answer, to its end: what was cut off inside of a file is gone on with. */
async function buildAnswer(turn: Turn, system: string, messages: readonly ModelMessage[]): Promise<readonly Segment[]> {
  const parts = new SegmentParts(turn.live);
  const before = turn.said.length;
  const parser = createTagParser();
  const first = await speak(turn, {
    system,
    messages,
    maxSteps: 1,
    onText: (text) => {
      parser.push(text);
      parts.show(parser.segments);
    },
  });
  let text = first.text;
  let segments = parser.segments;
  for (let count = 0; count < maxContinuations && endsInsideWrite(segments); count++) {
    const rest = await speak(turn, {
      system,
      messages: [...messages, { role: 'assistant', content: text }, { role: 'user', content: goOn }],
      maxSteps: 1,
      // Where it joins is known at its end: models repeat what they wrote last.
      onText: () => {},
    });
    text = joinContinuation(text, rest.text);
    const joined = createTagParser();
    joined.push(text);
    segments = joined.segments;
    parts.show(segments);
  }
  // Joined, so that the next turn does not see that the answer was cut.
  turn.said.splice(before, Infinity, { role: 'assistant', content: text });
  turn.live.setModelMessages([...turn.said]);
  segments = parseTags(text);
  parts.end(segments);
  return segments;
}
