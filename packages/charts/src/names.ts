import { oneLine } from '@mustard-sandbox/protocol/text';
import type { ChartChannel } from '@mustard-sandbox/protocol/chart';

/** No name is cut: two long ones may begin alike. */
const wholeName = 100_000;

/** A text of the data as it is shown: on one line, and no character hides or turns what stands around it. */
export function shownName(text: string): string {
  return oneLine(text, wholeName);
}

/** The different names of a column, in their order. */
export function namesOf(channel: ChartChannel | undefined): string[] {
  if (channel?.scale !== 'category') return [];
  return [...new Set(channel.values.map((name) => shownName(name ?? '')))];
}

/** Cut for where there is little room. */
export function shortName(name: string, maxCharacters: number): string {
  return oneLine(name, maxCharacters);
}
