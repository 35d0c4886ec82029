import { SandboxError } from '@mustard-sandbox/client';
import { untilCancelled } from './content.ts';
import { totalOf, type ResolvedAttachment } from './resolve-attachments.ts';
import { createTerminalSizePrompt } from './size-prompt.ts';
import { sizeHeading, type SizeAnswer, type SizePrompt, type SizeSource, type SizeSummary } from './size-summary.ts';

export interface SizeRules {
  thresholdBytes: number;
  truncateToBytes: number;
  policy: 'ask' | 'allow' | 'truncate' | 'reject';
  /** Default: the terminal, if there is one. */
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
 * What happens to attachments of that size. At or under the threshold they are attached unchanged.
 *
 * @throws {SandboxError} `limit_exceeded` by the policy `reject`; `invalid_request` when a host's prompt gives an
 *   unknown answer; `cancelled`; the error of a host's prompt
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
