import { statSync } from 'node:fs';
import { basename } from 'node:path';
import { printable } from '@mustard-sandbox/protocol/text';
import { formatBytes, type AttachmentStore, type StoredAttachment } from '@mustard-sandbox/agent-tool';
import { exitCodes } from '../../exit-code.ts';
import { failureOf, UsageError } from '../../failure.ts';
import { attachmentTable, ignoreMedia, openStore, tellIgnored, type StoreFlags } from '../../media.ts';
import { writeLine } from '../../output.ts';
import { Progress, progressBar } from '../../progress.ts';
import { failureReport, type Report } from '../../report.ts';
import { checkFile } from '../../scope.ts';
import { openStdin } from '../../read-text.ts';

/** The flags as they were typed. */
export interface AttachFlags extends StoreFlags {
  name?: string;
  gitignore: boolean;
  quiet?: boolean;
}

/** @throws {UsageError} before anything is stored */
export async function attach(files: string[], flags: AttachFlags, signal: AbortSignal): Promise<Report> {
  const store = openStore(flags);
  checkArguments(files, flags);
  const stored: StoredAttachment[] = [];
  let failure: Report | undefined;
  try {
    await storeAll(store, files, flags, signal, (attachment) => stored.push(attachment));
  } catch (error) {
    // The files before it are stored, so the report must list them.
    failure = failureReport(failureOf(error, undefined));
  }
  const ignored = stored.length > 0 && flags.gitignore ? await ignoreMedia(store) : undefined;
  const { ok = true, ...rest } = failure?.json ?? {};
  return {
    json: { ok, ...rest, directory: store.directory, stored, ...(ignored && { gitignore: ignored }) },
    print() {
      if (stored.length > 0)
        writeLine(
          process.stdout,
          attachmentTable(stored, () => []),
        );
      if (flags.quiet !== true) tellIgnored(ignored);
      failure?.print();
    },
    exitCode: failure?.exitCode ?? exitCodes.done,
  };
}

/** Checks all files before the first one is stored, so that a wrong last name does not cost a long copy. */
function checkArguments(files: string[], { name }: AttachFlags): void {
  if (name === '') throw new UsageError('--name: the name is empty.');
  if (name !== undefined && files.length > 1) throw new UsageError('--name: it can name one file, not several.');
  for (const file of files) {
    if (file !== '-') {
      checkFile('attach', file, `to store the files in it, let the shell list them: ${file.replace(/\/$/, '')}/*`);
    } else if (name === undefined) {
      throw new UsageError('attach: stdin has no name of its own.', 'give it one: attach - --name server.log');
    }
  }
}

async function storeAll(
  store: AttachmentStore,
  files: string[],
  { name, quiet = false }: AttachFlags,
  signal: AbortSignal,
  onStored: (attachment: StoredAttachment) => void,
): Promise<void> {
  using progress = new Progress('storing', { quiet });
  for (const [index, file] of files.entries()) {
    const called = name ?? basename(file);
    const count = files.length === 1 ? '' : ` (${index + 1} of ${files.length})`;
    // The size of stdin is known only at its end.
    const size = file === '-' ? undefined : statSync(file, { throwIfNoEntry: false })?.size;
    const onProgress = (bytes: number): void => {
      const far = size === undefined ? `${formatBytes(bytes)} so far` : progressBar(bytes, size);
      progress.update(`${far} · ${printable(called)}${count}`);
    };
    const source = file === '-' ? openStdin('the content') : file;
    onStored(await store.store(source, called, undefined, { signal, onProgress }));
  }
}
