import { printable } from '@mustard-sandbox/client/text';
import { AttachmentStore, formatBytes, type GitignoreResult, type StoredAttachment } from '@mustard-sandbox/agent-tool';
import { failureOf, UsageError, type Failure } from './failure.ts';
import { styled, writeLine } from './output.ts';
import { checkRoot, type NamedFile } from './scope.ts';
import { alignColumns } from './table.ts';

/** As typed. */
export interface StoreFlags {
  root?: string;
  mediaDir?: string;
}

/** Other processes hold the folder for milliseconds. A person at a prompt does not wait long for one that hangs. */
const lockWaitMs = 10_000;

/** @throws {UsageError} */
export function openStore({ root = '.', mediaDir }: StoreFlags): AttachmentStore {
  const folder = checkRoot(root);
  try {
    return new AttachmentStore(folder, { lockWaitMs, ...(mediaDir !== undefined && { mediaDir }) });
  } catch {
    // Its own error names the library's options.
    throw new UsageError(`--media-dir: '${mediaDir}' is not a path to a folder below --root, and relative to it.`);
  }
}

/**
 * What `--stored` adds to the scope of a script; nothing without it.
 *
 * @throws {UsageError | AttachmentError}
 */
export async function listStored(flags: { root?: string; stored?: boolean }): Promise<NamedFile[]> {
  const { root, stored = false } = flags;
  if (!stored) return [];
  const files = await openStore({ ...(root !== undefined && { root }) }).list();
  // No person chose these paths: where a link is now, that is not what was stored.
  return files.map(({ name, path }) => ({ name, path, noLinks: true }));
}

/** Whether git ignores the media folder now, or why that could not be seen to. */
export type Ignored = GitignoreResult | { status: 'failed'; error: Pick<Failure, 'code' | 'message'> };

/** What is stored is stored, so a failure here is told and does not count. */
export async function ignoreMedia(store: AttachmentStore): Promise<Ignored> {
  try {
    return await store.ensureGitignored();
  } catch (error) {
    const { code, message } = failureOf(error, undefined);
    return { status: 'failed', error: { code, message } };
  }
}

/** Says on stderr what was changed for git; there is mostly nothing to say. */
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

/** One row for each: `attachments:NAME  SIZE  TYPE`, and what `more` adds. */
export function attachmentTable<T extends Described>(files: readonly T[], more: (file: T) => string[]): string {
  const rows = files.map((file) => [
    printable(`attachments:${file.name}`),
    formatBytes(file.size),
    printable(file.mediaType),
    ...more(file),
  ]);
  return alignColumns(rows, [0, 2]);
}
