import { printable } from '@mustard-sandbox/protocol/text';
import { AttachmentStore, formatBytes, type GitignoreResult, type StoredAttachment } from '@mustard-sandbox/agent-tool';
import { failureOf, UsageError, type Failure } from './failure.ts';
import { styled, writeLine } from './output.ts';
import { checkRoot, type NamedFile } from './scope.ts';
import { alignColumns } from './table.ts';

/** The flags as they were typed. */
export interface StoreFlags {
  root?: string;
  mediaDir?: string;
}

/**
 * How long to wait for the lock, in ms. Other processes lock the folder for milliseconds. If one hangs, a person at a
 * prompt should not wait longer.
 */
const lockWaitMs = 10_000;

/** @throws {UsageError} */
export function openStore({ root = '.', mediaDir }: StoreFlags): AttachmentStore {
  const folder = checkRoot(root);
  try {
    return new AttachmentStore(folder, { lockWaitMs, ...(mediaDir !== undefined && { mediaDir }) });
  } catch {
    // The store's own error would name an option of the library.
    throw new UsageError(`--media-dir: '${mediaDir}' is not a path to a folder below --root, and relative to it.`);
  }
}

/**
 * The attachments that `--stored` adds to the scope of a script. Empty without that flag.
 *
 * @throws {UsageError | AttachmentError}
 */
export async function listStored(flags: { root?: string; stored?: boolean }): Promise<NamedFile[]> {
  const { root, stored = false } = flags;
  if (!stored) return [];
  const files = await openStore({ ...(root !== undefined && { root }) }).list();
  // No person chose these paths. If one has become a link, it does not lead to the stored file.
  return files.map(({ name, path }) => ({ name, path, noLinks: true }));
}

/** Whether git ignores the media folder now, or why `.gitignore` could not be changed. */
export type Ignored = GitignoreResult | { status: 'failed'; error: Pick<Failure, 'code' | 'message'> };

/** The files are stored by now, so a failure here is a warning and not a failure of the command. */
export async function ignoreMedia(store: AttachmentStore): Promise<Ignored> {
  try {
    return await store.ensureGitignored();
  } catch (error) {
    const { code, message } = failureOf(error, undefined);
    return { status: 'failed', error: { code, message } };
  }
}

/** Prints on stderr what was changed for git, which is usually nothing. */
export function tellIgnored(ignored: Ignored | undefined): void {
  const stream = process.stderr;
  if (ignored?.status === 'added') {
    writeLine(stream, styled(stream, 'dim', `${printable(ignored.file ?? '.gitignore')} now has the media folder.`));
  } else if (ignored?.status === 'failed') {
    const text = `warning: git does not ignore the media folder: ${printable(ignored.error.message)}`;
    writeLine(stream, styled(stream, 'yellow', text));
  }
}

type Described = Pick<StoredAttachment, 'name' | 'size' | 'mediaType'>;

/** One row for each file: `attachments:NAME  SIZE  TYPE`, and what `more` adds. */
export function attachmentTable<T extends Described>(files: readonly T[], more: (file: T) => string[]): string {
  const rows = files.map((file) => [
    printable(`attachments:${file.name}`),
    formatBytes(file.size),
    printable(file.mediaType),
    ...more(file),
  ]);
  return alignColumns(rows, [0, 2]);
}
