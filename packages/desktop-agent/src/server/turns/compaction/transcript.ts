// The history of a chat as one text, for the model that sums it up.
import type { ModelMessage } from 'ai';
import { estimateTokens } from '../../models/usage.ts';

/** No message is cut shorter. */
const shortest = 200;

/**
 * The messages as a text of at most about so many tokens. The longest ones are cut first, in their middle; if that is not
 * enough, the oldest are left out.
 */
export function transcriptOf(messages: readonly ModelMessage[], maxTokens: number): string {
  const texts = messages.map(({ role, content }) => ({ role, text: textIn(content) }));
  let longest = Math.max(shortest, ...texts.map(({ text }) => text.length));
  const render = (): string[] => texts.map(({ role, text }) => `## ${role}\n\n${cutTo(text, longest)}`);
  let sections = render();
  while (longest > shortest && sum(sections) > maxTokens) {
    longest = Math.max(shortest, Math.floor(longest / 2));
    sections = render();
  }
  while (sections.length > 1 && sum(sections) > maxTokens) sections.shift();
  return sections.join('\n\n');
}

function sum(sections: readonly string[]): number {
  return sections.reduce((total, text) => total + estimateTokens(text), 0);
}

function cutTo(text: string, longest: number): string {
  if (text.length <= longest) return text;
  const half = Math.floor(longest / 2);
  return `${text.slice(0, half)}\n[${text.length - 2 * half} characters are left out here]\n${text.slice(-half)}`;
}

function textIn(content: ModelMessage['content']): string {
  if (typeof content === 'string') return content;
  return content.map((part) => (part.type === 'text' ? part.text : `[${part.type}]`)).join('\n');
}
