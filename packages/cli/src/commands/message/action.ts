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
import { readConfiguration } from '../../configuration/read.ts';
import type { Settings, SizePolicy } from '../../configuration/settings.ts';
import { UsageError } from '../../failure.ts';
import { ignoreMedia, openStore, type StoreFlags } from '../../media.ts';
import { Progress } from '../../progress.ts';
import type { Report } from '../../report.ts';
import { readText } from '../../read-text.ts';
import { bytesOfImages, reportOf, sizeOf } from './report.ts';

/** The flags as they were typed. */
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

/** No model accepts that much. In base64 and escaped it still fits into one string. */
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
    // Stdin cannot hold both the text and the answer to a question.
    sizePolicy: sizePolicy === 'ask' && !canAsk ? 'allow' : sizePolicy,
    signal,
    ...(store && { store }),
    ...(truncateTo !== undefined && { truncateTo }),
  };
  const prepared = await prepare(options, quiet || mode === 'default-chat');
  const { parts, stored, totalBytes } = prepared;
  if (json) checkLength(parts);
  const ignored = store && stored.length > 0 && flags.gitignore ? await ignoreMedia(store) : undefined;
  const inlinedBytes = mode === 'default-chat' ? totalBytes : bytesOfImages(parts);
  const unasked = sizePolicy === 'ask' && !canAsk && inlinedBytes > thresholdBytes;
  return reportOf(prepared, { ignored, unasked, quiet });
}

/** The sizes from the flags, or else from the configuration. @throws {SandboxError} for a text that is not a size */
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
    // The question appears on the same line of the terminal.
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
