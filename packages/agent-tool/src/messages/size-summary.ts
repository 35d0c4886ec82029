import { oneLine } from '@mustard-sandbox/protocol';
import { formatBytes, formatBytesApart } from '../sizes.ts';

/** What is about to be inlined. Sizes are in bytes. */
export interface SizeSummary {
  totalBytes: number;
  thresholdBytes: number;
  /** The size in bytes that `truncate` leaves of each text. */
  truncateToBytes: number;
  /** In the order given. The files of a pattern are one source. */
  sources: SizeSource[];
}

/** One attachment, or the files of one pattern. Sizes are those before anything is cut. */
export interface SizeSource {
  /** The name that the host gave, or else the path or the pattern. */
  source: string;
  isPattern: boolean;
  files: number;
  bytes: number;
}

/** Attach everything as it is, cut the texts, or send nothing. */
export type SizeAnswer = 'attach' | 'truncate' | 'cancel';

/** Asks a person whether to attach so much. */
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

/** The heading with both numbers. */
export function sizeHeading(totalBytes: number, thresholdBytes: number): string {
  const [total, threshold] = formatBytesApart(totalBytes, thresholdBytes);
  return `Attachments total ${total} (threshold: ${threshold})`;
}
