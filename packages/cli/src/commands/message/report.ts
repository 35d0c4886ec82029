import { formatBytes, type PreparedUserMessage, type UserPart } from '@mustard-sandbox/agent-tool';
import { printable } from '@mustard-sandbox/protocol/text';
import { exitCodes } from '../../exit-code.ts';
import { tellIgnored } from '../../media.ts';
import { styled, writeLine } from '../../output.ts';
import type { Report } from '../../report.ts';

/** What was done apart from the message, and how much to print. */
interface Told {
  ignored: Parameters<typeof tellIgnored>[0];
  /** The attachments exceed the threshold, and nobody could be asked. */
  unasked: boolean;
  quiet: boolean;
}

/** The message as text for people, and as JSON for the AI SDK. */
export function reportOf(prepared: PreparedUserMessage, { ignored, unasked, quiet }: Told): Report {
  const { parts, stored, truncated, totalBytes } = prepared;
  return {
    json: {
      ok: true,
      message: { role: 'user', content: parts.map(withBase64) },
      stored,
      truncated,
      totalBytes,
      ...(ignored && { gitignore: ignored }),
    },
    print() {
      const onTerminal = process.stdout.isTTY;
      writeLine(process.stdout, parts.map((part) => render(part, onTerminal)).join('\n\n'));
      if (quiet) return;
      tellIgnored(ignored);
      writeLine(process.stderr, styled(process.stderr, 'dim', summary(prepared, unasked)));
    },
    exitCode: exitCodes.done,
  };
}

/** How many bytes the images are together. */
export function bytesOfImages(parts: UserPart[]): number {
  return parts.reduce((sum, part) => sum + (part.type === 'image' ? part.image.length : 0), 0);
}

/** How many bytes a part is, before it is encoded. */
export function sizeOf(part: UserPart): number {
  return part.type === 'text' ? Buffer.byteLength(part.text) : dataOf(part).length;
}

function dataOf(part: Exclude<UserPart, { type: 'text' }>): Uint8Array {
  return part.type === 'image' ? part.image : part.data;
}

function withBase64(part: UserPart): object {
  if (part.type === 'text') return part;
  const data = Buffer.from(dataOf(part)).toString('base64');
  return part.type === 'image' ? { ...part, image: data } : { ...part, data };
}

function render(part: UserPart, onTerminal: boolean): string {
  if (part.type === 'text') return onTerminal ? printable(part.text) : part.text;
  const name = part.type === 'file' ? `, ${printable(part.filename)}` : '';
  return `[${part.type}: ${part.mediaType}, ${formatBytes(sizeOf(part))}${name}]`;
}

function summary({ parts, truncated, totalBytes }: PreparedUserMessage, unasked: boolean): string {
  const size = parts.reduce((sum, part) => sum + sizeOf(part), 0);
  const facts = [`${parts.length} ${parts.length === 1 ? 'part' : 'parts'}`, formatBytes(size)];
  if (totalBytes > 0) facts.push(`attachments of ${formatBytes(totalBytes)}`);
  if (truncated.length > 0) facts.push(`${truncated.length} truncated`);
  if (unasked) facts.push('over the threshold, attached without asking: there is no terminal to ask on');
  return facts.join(' · ');
}
