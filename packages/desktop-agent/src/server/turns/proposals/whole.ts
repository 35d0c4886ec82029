// Finds the whole changes in an answer that was cut off, stopped, or ended with the program. They can still be approved.
import type { ModelMessage } from 'ai';
import { wantedBy, type Change, type Plan, type Wanted } from '../../changes/index.ts';
import { parseTags } from '../../../shared/tags/parse.ts';
import type { Proposal } from '../../../shared/contract/index.ts';
import { inWorker } from '../../worker/index.ts';
import { textsOf } from '../continuing.ts';
import { joined, wantsNothing } from '../wanted.ts';
import { changeOfCall, proposed } from '../tools/write-calls.ts';
import { inOrder } from '../tools/in-order.ts';
import type { Turn } from '../turn.ts';

const unchecked = 'The answer did not come to its end, so its types were not checked.';

/** Puts the whole changes into the message. They are not checked for problems, because the person may be waiting. */
export async function offerWhole({ app, live, services }: Turn, wanted: Wanted): Promise<void> {
  try {
    const made = await wholeOf(app.path, wanted);
    if (made !== undefined) live.setProposal(made.proposal, made.plan);
  } catch (error) {
    // The person should read why the answer was cut off, so this error is not shown.
    services.onError('what was whole in a cut answer could not be proposed', error);
  }
}

/** The proposal of the whole changes; `undefined` when there are none. */
export async function wholeOf(
  appPath: string,
  wanted: Wanted,
): Promise<{ proposal: Proposal; plan: Plan | null } | undefined> {
  if (wantsNothing(wanted)) return undefined;
  const { proposal, plan } = await inWorker('propose', [appPath, wanted]);
  return { proposal: { ...proposal, unchecked, needsPerson: true }, plan };
}

/** What an answer wanted, from its stored parts. @param isBuild whether its text may have tags */
export function wantedBySaid(messages: readonly ModelMessage[], isBuild: boolean): Wanted {
  const byTags = isBuild ? textsOf(messages).map((text) => wantedBy(parseTags(text))) : [];
  const byCalls = inOrder(keptCalls(messages));
  const calls: Wanted = { summary: '', changes: byCalls, dependencies: [], commands: [] };
  return [...byTags, calls].reduce(joined);
}

/** The changes of write tools that a person allowed, found by the answers of the tools. */
function keptCalls(messages: readonly ModelMessage[]): Change[] {
  const kept = new Set<string>();
  for (const { role, content } of messages) {
    if (role !== 'tool') continue;
    for (const part of content) {
      if (part.type === 'tool-result' && part.output.type === 'text' && part.output.value === proposed)
        kept.add(part.toolCallId);
    }
  }
  return messages.flatMap(({ role, content }) => {
    if (role !== 'assistant' || typeof content === 'string') return [];
    return content.flatMap((part) =>
      part.type === 'tool-call' && kept.has(part.toolCallId) ? (changeOfCall(part.toolName, part.input) ?? []) : [],
    );
  });
}
