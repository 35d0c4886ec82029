// Recognizes pictures by their first bytes, because names and declared types cannot be trusted.

type PictureType = 'image/png' | 'image/jpeg' | 'image/gif' | 'image/webp';

/** A picture that a browser may draw. SVG is not among them, because it is a document that may have scripts. */
export interface Picture {
  mediaType: PictureType;
  /** In pixels. */
  width: number;
  height: number;
}

export const pictureTypes: ReadonlySet<string> = new Set<PictureType>([
  'image/png',
  'image/jpeg',
  'image/gif',
  'image/webp',
]);

/** The largest file, in bytes. A larger one takes long to read and to draw. */
export const maxPictureBytes = 20 * 1024 * 1024;
/** A browser needs four bytes for each pixel, however small the file is. A large photo has 48 megapixels. */
const maxPixels = 50_000_000;

/**
 * The picture in the bytes, if it may be drawn.
 *
 * @param bytes the whole file, or its first 256 KB, which contain the size of nearly all pictures
 * @returns `undefined` for anything else, and for a picture of more than 50 million pixels
 */
export function pictureIn(bytes: Uint8Array): Picture | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  try {
    const picture = readPng(view) ?? readJpeg(view) ?? readGif(view) ?? readWebp(view);
    if (picture === undefined || picture.width === 0 || picture.height === 0) return undefined;
    return picture.width * picture.height > maxPixels ? undefined : picture;
  } catch (error) {
    // The file ends before the size of the picture.
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

function startsWith(view: DataView, text: string, at = 0): boolean {
  return (
    view.byteLength >= at + text.length && [...text].every((one, i) => view.getUint8(at + i) === one.charCodeAt(0))
  );
}

function readPng(view: DataView): Picture | undefined {
  if (!startsWith(view, '\x89PNG\r\n\x1a\n') || !startsWith(view, 'IHDR', 12)) return undefined;
  return { mediaType: 'image/png', width: view.getUint32(16), height: view.getUint32(20) };
}

/** Goes from marker to marker, because the data of one may contain another picture, such as a camera's preview. */
function readJpeg(view: DataView): Picture | undefined {
  if (!startsWith(view, '\xff\xd8\xff')) return undefined;
  for (let at = 2; ;) {
    if (view.getUint8(at) !== 0xff) return undefined;
    const marker = view.getUint8(at + 1);
    // Any number of 0xFF may precede a marker.
    if (marker === 0xff) {
      at += 1;
      continue;
    }
    const isFrame = marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;
    if (isFrame) return { mediaType: 'image/jpeg', width: view.getUint16(at + 7), height: view.getUint16(at + 5) };
    // The picture's data, or its end, comes before a size.
    if (marker === 0xda || marker === 0xd9) return undefined;
    at += 2 + view.getUint16(at + 2);
  }
}

/** The size of the whole picture or of the first frame, because browsers allocate the larger of both. */
function readGif(view: DataView): Picture | undefined {
  if (!startsWith(view, 'GIF87a') && !startsWith(view, 'GIF89a')) return undefined;
  const colours = (flags: number): number => ((flags & 0x80) === 0 ? 0 : 3 * 2 ** ((flags & 7) + 1));
  let at = 13 + colours(view.getUint8(10));
  while (view.getUint8(at) === 0x21) {
    at += 2;
    while (view.getUint8(at) !== 0) at += 1 + view.getUint8(at);
    at += 1;
  }
  if (view.getUint8(at) !== 0x2c) return undefined;
  const side = (ofWhole: number, offset: number, ofFrame: number): number =>
    Math.max(view.getUint16(ofWhole, true), view.getUint16(at + offset, true) + view.getUint16(at + ofFrame, true));
  return { mediaType: 'image/gif', width: side(6, 1, 5), height: side(8, 3, 7) };
}

function readWebp(view: DataView): Picture | undefined {
  if (!startsWith(view, 'RIFF') || !startsWith(view, 'WEBP', 8)) return undefined;
  const mediaType = 'image/webp';
  const threeBytes = (at: number): number => view.getUint16(at, true) + view.getUint8(at + 2) * 0x1_0000;
  if (startsWith(view, 'VP8X', 12)) return { mediaType, width: threeBytes(24) + 1, height: threeBytes(27) + 1 };
  if (startsWith(view, 'VP8 ', 12)) {
    return { mediaType, width: view.getUint16(26, true) & 0x3fff, height: view.getUint16(28, true) & 0x3fff };
  }
  if (!startsWith(view, 'VP8L', 12)) return undefined;
  const bits = view.getUint32(21, true);
  return { mediaType, width: (bits & 0x3fff) + 1, height: ((bits >> 14) & 0x3fff) + 1 };
}
