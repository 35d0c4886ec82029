import { maxPictureBytes, pictureIn } from '../shared/picture.ts';

/** The first bytes, which contain the size of nearly all pictures. */
const headBytes = 256 * 1024;

/** The picture with its true type, if the page may draw it. The declared type may be wrong. */
export async function pictureOf(file: Blob): Promise<Blob | undefined> {
  if (file.size > maxPictureBytes) return undefined;
  const picture = pictureIn(new Uint8Array(await file.slice(0, headBytes).arrayBuffer()));
  return picture === undefined ? undefined : new Blob([file], { type: picture.mediaType });
}
