import {
  createTerminalSizePrompt,
  formatBytes,
  parseBytes,
  prepareUserMessage,
  type PreparedUserMessage,
  type PrepareUserMessageOptions,
  type SizePrompt,
  type UserPart,
} from '@mustard-sandbox/agent-tool';
import { SandboxError } from '@mustard-sandbox/client';
import { printable } from '@mustard-sandbox/client/text';
import { readConfiguration } from '../configuration/read.ts';
import type { Settings, SizePolicy } from '../configuration/settings.ts';
import { exitCodes } from '../exit-code.ts';
import { UsageError } from '../failure.ts';
import { ignoreMedia, openStore, tellIgnored, type StoreFlags } from '../media.ts';
import { styled, writeLine } from '../output.ts';
import { Progress } from '../progress.ts';
import type { Report } from '../report.ts';
import { readText } from '../read-text.ts';

/** As typed. */
export interface MessageFlags extends StoreFlags {
  attach: string[];
  mode: 'local-agent' | 'default-chat';
  sizeThreshold?: string;
  sizePolicy?: SizePolicy;
  truncateTo?: string;
  scripting: boolean;
  gitignore: boolean;
  config?: string;
  json?: boolean;
  quiet?: boolean;
}

/** No model takes that much. In base64 and escaped it still fits into one string. */
const maxJsonBytes = 64 * 1024 * 1024;
const defaultThreshold = '512KB';

/** @throws {UsageError | SandboxError | AttachmentError} */
export async function message(text: string, flags: MessageFlags, signal: AbortSignal): Promise<Report> {
  const { mode, quiet = false, json = false } = flags;
  const { attachment: configured } = await readConfiguration(flags);
  const { thresholdBytes, truncateTo, sizePolicy } = sizesOf(flags, configured);
  const written = text === '-' ? await readText('the message', signal) : text;
  if (written === '' && flags.attach.length === 0) {
    throw new UsageError('message: there is neither a text nor an attachment.');
  }
  const store = mode === 'local-agent' ? openStore(flags) : undefined;
  const canAsk = text !== '-' && process.stdin.isTTY && process.stderr.isTTY;
  const options: PrepareUserMessageOptions = {
    mode,
    text: written,
    attachments: flags.attach,
    scripting: flags.scripting,
    sizeThreshold: thresholdBytes,
    // Stdin cannot give both the text and the answer to a question.
    sizePolicy: sizePolicy === 'ask' && !canAsk ? 'allow' : sizePolicy,
    signal,
    ...(store && { store }),
    ...(truncateTo !== undefined && { truncateTo }),
  };
  const prepared = await prepare(options, quiet || mode === 'default-chat');
  const { parts, stored, truncated, totalBytes } = prepared;
  if (json) checkLength(parts);
  const ignored = store && stored.length > 0 && flags.gitignore ? await ignoreMedia(store) : undefined;
  const inlinedBytes = mode === 'default-chat' ? totalBytes : bytesOfImages(parts);
  const unasked = sizePolicy === 'ask' && !canAsk && inlinedBytes > thresholdBytes;
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

/** The settings of the flags, then those of the configuration. @throws {SandboxError} for a text that is not a size */
function sizesOf(flags: MessageFlags, configured: Settings['attachment']) {
  const { sizeThreshold, truncateTo, sizePolicy } = flags;
  return {
    thresholdBytes: parseBytes(sizeThreshold ?? configured.sizeThreshold ?? defaultThreshold, '--size-threshold'),
    truncateTo: truncateTo === undefined ? configured.truncateTo : parseBytes(truncateTo, '--truncate-to'),
    sizePolicy: sizePolicy ?? configured.sizePolicy ?? 'ask',
  };
}

/** @throws {SandboxError} also `cancelled` when the user was asked about the size and declined */
async function prepare(options: PrepareUserMessageOptions, silent: boolean): Promise<PreparedUserMessage> {
  using progress = new Progress('storing the attachments', { quiet: silent });
  const sizePrompt: SizePrompt = (summary, options) => {
    // The question is on the same line of the terminal.
    progress[Symbol.dispose]();
    return createTerminalSizePrompt()(summary, options);
  };
  const prepared = await prepareUserMessage({ ...options, sizePrompt });
  if (prepared.status === 'prepared') return prepared;
  const size = formatBytes(prepared.totalBytes);
  throw new SandboxError('cancelled', `No message was prepared: the attachments of ${size} were not wanted.`);
}

function checkLength(parts: UserPart[]): void {
  const bytes = parts.reduce((sum, part) => sum + sizeOf(part), 0);
  if (bytes <= maxJsonBytes) return;
  throw new SandboxError(
    'limit_exceeded',
    `--json: the message has ${formatBytes(bytes)}, and can have ${formatBytes(maxJsonBytes)}. Attach less, or truncate it.`,
    { details: { limit: 'message_bytes', value: maxJsonBytes, unit: 'bytes' } },
  );
}

function bytesOfImages(parts: UserPart[]): number {
  return parts.reduce((sum, part) => sum + (part.type === 'image' ? part.image.length : 0), 0);
}

function sizeOf(part: UserPart): number {
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
