import { realpathSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { FolderFiles } from '@mustard-sandbox/paths';
import { AgentError } from '../../shared/contract/index.ts';
import { maxPictureBytes, pictureIn } from '../../shared/picture.ts';

/**
 * The bytes of a stored attachment that is a picture, for the page to draw.
 *
 * @param path in the folder of attachments, absolute
 * @throws {AgentError} `not_found`; `limit_exceeded` when it is too large; `invalid_request` when it is not a picture
 */
export function readPicture(path: string, name: string): Buffer {
  const { bytes, size } = read(path, name);
  if (size > maxPictureBytes) throw new AgentError('limit_exceeded', `${name} is larger than 20 MB.`);
  if (pictureIn(bytes) === undefined)
    throw new AgentError(
      'invalid_request',
      `${name} is not a PNG, JPEG, GIF or WebP, or it has too many pixels to be shown.`,
    );
  return bytes;
}

function read(path: string, name: string): { bytes: Buffer; size: number } {
  try {
    const files = new FolderFiles(realpathSync.native(dirname(path)), { refuseLinks: true });
    return files.read(basename(path), maxPictureBytes, 'picture');
  } catch (error) {
    throw new AgentError('not_found', `${name} no longer exists.`, { cause: error });
  }
}
