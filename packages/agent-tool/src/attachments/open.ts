import { open, realpath, type FileHandle } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { openFlags, systemLocator } from '@mustard-sandbox/paths';
import type { Attachment } from './attachment.ts';
import { AttachmentError, notAFile, readingError } from './errors.ts';

/**
 * Opens an attachment to read it, and checks what was opened. Another program may put a link at the path between a check
 * and the opening, so the check uses the descriptor.
 *
 * @throws {AttachmentError} `not_found`, `not_a_file`, `unreadable`
 */
export async function openAttachment({ path, noLinks }: Pick<Attachment, 'path' | 'noLinks'>): Promise<FileHandle> {
  let file: FileHandle | undefined;
  try {
    const real = noLinks === true ? join(await realpath(dirname(path)), basename(path)) : await realpath(path);
    file = await open(real, openFlags);
    if (systemLocator.locate(file.fd, real) !== real) throw swapped(path);
    if (!(await file.stat()).isFile()) throw notAFile(path, 'something else');
    return file;
  } catch (error) {
    await file?.close();
    throw (error as NodeJS.ErrnoException).code === 'ELOOP' ? swapped(path) : readingError(error, path);
  }
}

function swapped(path: string): AttachmentError {
  return new AttachmentError('not_found', `${path} is a link by now.`, { details: { path } });
}
