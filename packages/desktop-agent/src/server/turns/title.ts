import type { Message } from '../../shared/contract/index.ts';

const maxTitleChars = 60;

/** What a chat is called after its first message. */
export function titleOf({ parts }: Message): string {
  const [first] = parts;
  const line = first?.type === 'text' ? (first.text.trim().split('\n')[0] ?? '') : '';
  if (line === '') return 'Attached files';
  return line.length > maxTitleChars ? `${line.slice(0, maxTitleChars - 1).trimEnd()}…` : line;
}
