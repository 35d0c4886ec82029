import { oneLine } from '@mustard-sandbox/protocol';
import { formatBytes, formatBytesApart } from '../sizes.ts';

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
export function sizeHeading(totalBytes: number, thresholdBytes: number): string {
  const [total, threshold] = formatBytesApart(totalBytes, thresholdBytes);
  return `Attachments total ${total} (threshold: ${threshold})`;
}
