import { oneLine, SandboxError } from '@mustard-sandbox/client';
import { formatBytes } from '../sizes.ts';
import { untilCancelled } from './content.ts';
import { totalOf, type ResolvedAttachment } from './resolve-attachments.ts';
import { createTerminalSizePrompt } from './size-prompt.ts';

/** What is about to be inlined. Sizes in bytes. */
export interface SizeSummary {
  totalBytes: number;
  thresholdBytes: number;
  /** What `truncate` leaves of each text. */
  truncateToBytes: number;
  /** In the order given; the files of a pattern together. */
  sources: SizeSource[];
}

/** One attachment, or what one pattern matched. Bytes before anything is cut. */
export interface SizeSource {
  /** The name that the host gave; without one a path or a pattern. */
  source: string;
  isPattern: boolean;
  files: number;
  bytes: number;
}

/** Attach everything as it is, cut the texts, or send nothing. */
export type SizeAnswer = 'attach' | 'truncate' | 'cancel';

/** Asks a person whether so much shall be attached. */
export type SizePrompt = (summary: SizeSummary, options: { signal?: AbortSignal }) => Promise<SizeAnswer>;

/** The question as a terminal shows it, without the choices. */
export function formatSizeSummary({ totalBytes, thresholdBytes, sources }: SizeSummary): string {
  const rows = sources.map(({ source, isPattern, files, bytes }) => {
    const count = isPattern ? `${files} ${files === 1 ? 'file' : 'files'}, ` : '';
    return [oneLine(source), `— ${count}${formatBytes(bytes)}`] as const;
  });
  const width = Math.max(0, ...new Set(rows.map(([source]) => source.length)));
  const list = rows.map(([source, size]) => `  ${source.padEnd(width)}  ${size}`);
  return [`⚠ ${sizeHeading(totalBytes, thresholdBytes)}`, '', ...list].join('\n');
}

/** Both numbers. */
function sizeHeading(totalBytes: number, thresholdBytes: number): string {
  return `Attachments total ${formatBytes(totalBytes)} (threshold: ${formatBytes(thresholdBytes)})`;
}

export interface SizeRules {
  thresholdBytes: number;
  truncateToBytes: number;
  policy: 'ask' | 'allow' | 'truncate' | 'reject';
  /** None: the terminal, where there is one. */
  prompt: SizePrompt | undefined;
}

export function summarize(attachments: readonly ResolvedAttachment[], rules: SizeRules): SizeSummary {
  const { thresholdBytes, truncateToBytes } = rules;
  const sources = new Map<object, SizeSource>();
  for (const { source, size } of attachments) {
    const group = sources.get(source) ?? { source: source.text, isPattern: source.isPattern, files: 0, bytes: 0 };
    group.files += 1;
    group.bytes += size;
    sources.set(source, group);
  }
  return { totalBytes: totalOf(attachments), thresholdBytes, truncateToBytes, sources: [...sources.values()] };
}

/**
 * What shall happen to attachments of that size: at or under the threshold they are attached as they are.
 *
 * @throws {SandboxError} `limit_exceeded` by the policy `reject`; `invalid_request` when a host's prompt gives no
 *   answer that there is; `cancelled`; what a host's prompt throws
 */
export async function decide(
  summary: SizeSummary,
  { policy, prompt }: SizeRules,
  signal: AbortSignal | undefined,
): Promise<SizeAnswer> {
  if (summary.totalBytes <= summary.thresholdBytes) return 'attach';
  switch (policy) {
    case 'allow':
      return 'attach';
    case 'truncate':
      return 'truncate';
    case 'reject':
      throw tooLarge(summary);
    case 'ask':
      return await ask(summary, prompt ?? terminalPrompt(), signal);
  }
}

function terminalPrompt(): SizePrompt | undefined {
  return process.stdin.isTTY && process.stderr.isTTY ? createTerminalSizePrompt() : undefined;
}

async function ask(
  summary: SizeSummary,
  prompt: SizePrompt | undefined,
  signal: AbortSignal | undefined,
): Promise<SizeAnswer> {
  if (prompt === undefined) return 'attach';
  const asked = Promise.resolve(prompt(summary, { ...(signal && { signal }) }));
  const answer: unknown = await untilCancelled(asked, signal);
  if (answer === 'attach' || answer === 'truncate' || answer === 'cancel') return answer;
  const shown = typeof answer === 'string' ? `'${answer}'` : typeof answer;
  throw new SandboxError(
    'invalid_request',
    `sizePrompt answered ${shown}; it can be 'attach', 'truncate' or 'cancel'.`,
  );
}

function tooLarge({ totalBytes, thresholdBytes }: SizeSummary): SandboxError {
  return new SandboxError(
    'limit_exceeded',
    `${sizeHeading(totalBytes, thresholdBytes)}. Attach less, or raise sizeThreshold.`,
    { details: { limit: 'attachment_bytes', value: thresholdBytes, unit: 'bytes', totalBytes } },
  );
}
