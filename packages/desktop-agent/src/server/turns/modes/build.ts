// Build: the answer contains tags, and they become a proposal.
import type { ModelMessage } from 'ai';
import { wantedBy } from '../../changes/index.ts';
import {
  createTagParser,
  endsInsideWrite,
  joinContinuation,
  parseTags,
  type Segment,
} from '../../../shared/tags/parse.ts';
import { askingForRest, cutFile, joinedTo } from '../continuing.ts';
import { filesFor, rulesFor } from '../app-files.ts';
import { historyOf } from '../history.ts';
import { Ticks } from '../plans/followed.ts';
import { prepareMessage } from '../prepare-message.ts';
import { offer } from '../proposals/offer.ts';
import { offerWhole } from '../proposals/whole.ts';
import { overlayOfPlan } from '../proposals/plan-overlay.ts';
import { goOn, systemPrompt } from '../prompts.ts';
import { SegmentParts } from '../segment-parts.ts';
import { speak } from '../speak.ts';
import { textOfMessage, type Answered, type Turn } from '../turn.ts';
import { joined, wantsNothing } from '../wanted.ts';
import type { Overlay } from '../../context/index.ts';

/** How many turns before this one the model gets. */
const turnsBefore = 10;
/** How often an answer that ends inside of a file is gone on with. */
const maxContinuations = 2;

export async function build(turn: Turn): Promise<Answered> {
  const message = await prepareMessage(turn, { mode: 'default-chat' });
  const messages = [...historyOf(turn.past, { turns: turnsBefore, tools: false }), message];
  const soFar: SoFar = { text: '' };
  const ticks = new Ticks(turn);
  const segments = await buildAnswer(turn, await promptFor(turn), messages, { ticks, soFar }).catch(
    async (error: unknown) => {
      await offerWhole(turn, wantedBy(parseTags(soFar.text)));
      throw error;
    },
  );
  const wanted = wantedBy(segments);
  if (!wantsNothing(wanted)) {
    await offer(turn, wanted, async (instruction, plan, fitting) => {
      const before = [...messages, ...turn.said];
      const instructed: ModelMessage = { role: 'user', content: instruction };
      turn.said.push(instructed);
      const prompt = await promptFor(turn, plan === null ? undefined : overlayOfPlan(plan));
      return joined(fitting, wantedBy(await buildAnswer(turn, prompt, [...before, instructed], { ticks })));
    });
  }
  const summary = segments.findLast((segment) => segment.type === 'summary')?.text ?? '';
  return summary === '' ? {} : { title: summary };
}

/** The prompt with the files as they would be with what is proposed. */
async function promptFor(turn: Turn, overlay?: Overlay): Promise<string> {
  return systemPrompt({ mode: 'build', rules: await rulesFor(turn), files: await filesFor(turn, overlay) });
}

/** All that an answer has said, also when it is cut in the middle. */
interface SoFar {
  text: string;
}

/** One answer, to its end: what was cut off inside of a file is gone on with, also where an earlier answer was cut. */
async function buildAnswer(
  turn: Turn,
  system: string,
  messages: readonly ModelMessage[],
  { ticks, soFar = { text: '' } }: { ticks: Ticks; soFar?: SoFar },
): Promise<readonly Segment[]> {
  const parts = new SegmentParts(turn.live, (step) => void ticks.tick(step));
  const before = turn.said.length;
  const cut = turn.said.length === 0 ? cutFile(turn.past, textOfMessage(turn)) : undefined;
  try {
    if (cut === undefined) await sayFirst(turn, { system, messages, parts, soFar });
    else await sayRest(turn, { system, messages, soFar, join: (rest) => joinedTo(cut, rest) });
    for (let count = 0; count < maxContinuations && endsInsideWrite(parseTags(soFar.text)); count++) {
      const text = soFar.text;
      const answered: ModelMessage = { role: 'assistant', content: text };
      const join = (rest: string): string => joinContinuation(text, rest);
      await sayRest(turn, { system, messages: [...messages, answered], soFar, join });
    }
  } finally {
    // Joined, so that the next turn does not see that the answer was cut, and has all of it when it was.
    if (soFar.text !== '') turn.said.splice(before, Infinity, { role: 'assistant', content: soFar.text });
    turn.live.setModelMessages([...turn.said]);
    parts.end(parseTags(soFar.text));
  }
  return parseTags(soFar.text);
}

interface Saying {
  system: string;
  messages: readonly ModelMessage[];
  soFar: SoFar;
}

async function sayFirst(
  turn: Turn,
  { system, messages, parts, soFar }: Saying & { parts: SegmentParts },
): Promise<void> {
  const parser = createTagParser();
  const onText = (text: string): void => {
    soFar.text += text;
    parser.push(text);
    parts.show(parser.segments);
    // What is whole of it can be approved, and the rest be asked for, also when the program is killed.
    turn.live.setModelMessages([...turn.said, { role: 'assistant', content: soFar.text }]);
  };
  await speak(turn, { system, messages, maxSteps: 1, onText });
}

/** Where it joins is known at its end, since models repeat what they wrote last: it is shown then. */
async function sayRest(
  turn: Turn,
  { system, messages, soFar, join }: Saying & { join: (rest: string) => string },
): Promise<void> {
  let rest = '';
  const before = [...turn.said];
  const onText = (text: string): void => {
    rest += text;
    soFar.text = join(rest);
    turn.live.setModelMessages([...before, { role: 'assistant', content: soFar.text }]);
  };
  await speak(turn, { system, messages: askingForRest(messages, goOn), maxSteps: 1, onText });
}
