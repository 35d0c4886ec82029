import type { ModelMessage, ToolSet } from 'ai';
import { estimateTokens } from '../models/usage.ts';
import { toStored } from './history.ts';

/** About what a picture or a file takes that goes as bytes. */
const fileTokens = 1_500;
/** In base64. A text in a field of the same name is no file. */
const shortestFile = 1_000;

/** What a request holds. */
interface Sent {
  system?: string;
  messages: readonly ModelMessage[];
  tools?: ToolSet | undefined;
}

/** About how many tokens a request has. */
export function tokensOf({ system = '', messages, tools = {} }: Sent): number {
  let files = 0;
  const text = JSON.stringify(toStored(messages), (key, value: unknown) => {
    if ((key !== 'image' && key !== 'data') || typeof value !== 'string' || value.length < shortestFile) return value;
    files += 1;
    return undefined;
  });
  const described = Object.values(tools).map(({ description = '' }) => description);
  return estimateTokens(system) + estimateTokens(text) + estimateTokens(described.join('')) + files * fileTokens;
}
