import { maxPictureBytes, pictureIn } from '../shared/picture.ts';

/** In them stands the size of nearly all pictures. */
const headBytes = 256 * 1024;

/** The same bytes with the type that they have, if the page may draw them: whoever gave them may have said another. */
export async function pictureOf(file: Blob): Promise<Blob | undefined> {
  if (file.size > maxPictureBytes) return undefined;
  const picture = pictureIn(new Uint8Array(await file.slice(0, headBytes).arrayBuffer()));
  return picture === undefined ? undefined : new Blob([file], { type: picture.mediaType });
}
