import { printable } from '@mustard-sandbox/protocol/text';
import { formatBytes } from '@mustard-sandbox/agent-tool';
import { exitCodes } from '../../exit-code.ts';
import { attachmentTable, openStore, type StoreFlags } from '../../media.ts';
import { styled, writeLine } from '../../output.ts';
import type { Report } from '../../report.ts';

/** The flags as they were typed. */
export interface LsFlags extends StoreFlags {
  quiet?: boolean;
}

/** @throws {UsageError | AttachmentError} */
export async function ls(flags: LsFlags): Promise<Report> {
  const store = openStore(flags);
  const attachments = await store.list();
  return {
    json: { ok: true, directory: store.directory, attachments },
    print() {
      if (attachments.length > 0) {
        writeLine(
          process.stdout,
          attachmentTable(attachments, ({ storedAt }) => [localTime(storedAt)]),
        );
      }
      if (flags.quiet !== true) writeLine(process.stderr, styled(process.stderr, 'dim', summary(attachments, store)));
    },
    exitCode: exitCodes.done,
  };
}

function summary(files: readonly { path: string; size: number }[], { directory }: { directory: string }): string {
  if (files.length === 0) return `Nothing is stored in ${printable(directory)}.`;
  // Two names of the same content are one file.
  const sizes = new Map(files.map(({ path, size }) => [path, size]));
  const bytes = [...sizes.values()].reduce((sum, size) => sum + size, 0);
  return `${files.length} in ${printable(directory)} · ${formatBytes(bytes)} on disk`;
}

/** `2026-01-31 17:04`. */
function localTime(iso: string): string {
  const time = new Date(iso);
  const two = (number: number): string => String(number).padStart(2, '0');
  const date = [time.getFullYear(), two(time.getMonth() + 1), two(time.getDate())].join('-');
  return `${date} ${two(time.getHours())}:${two(time.getMinutes())}`;
}
