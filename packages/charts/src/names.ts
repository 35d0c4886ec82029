import { oneLine } from '@mustard-sandbox/protocol/text';
import type { ChartChannel } from '@mustard-sandbox/protocol/chart';

/** So long that no name is cut, because two long names may begin in the same way. */
const wholeName = 100_000;

/** A text of the data for a person, on one line, without characters that hide or reverse the text around them. */
export function shownName(text: string): string {
  return oneLine(text, wholeName);
}

/** The different names of a column, in their order. */
export function namesOf(channel: ChartChannel | undefined): string[] {
  if (channel?.scale !== 'category') return [];
  return [...new Set(channel.values.map((name) => shownName(name ?? '')))];
}

/** A name that is cut to fit. */
export function shortName(name: string, maxCharacters: number): string {
  return oneLine(name, maxCharacters);
}
