/** Bytes, and the media type where the URL names one. */
export interface DataUrl {
  bytes: Uint8Array;
  mediaType?: string;
}

/** A text that merely begins with `data:`, as YAML can, is none. */
export function isDataUrl(text: string): boolean {
  return /^data:(?:[\w.+-]+\/[\w.+-]+|[;,])/i.test(text);
}

/** `undefined` for a malformed one. */
export function parseDataUrl(url: string): DataUrl | undefined {
  const comma = url.indexOf(',');
  if (comma < 0) return undefined;
  const [mediaType = '', ...parameters] = url.slice('data:'.length, comma).split(';');
  const body = url.slice(comma + 1);
  const isBase64 = parameters.at(-1)?.trim().toLowerCase() === 'base64';
  const bytes = isBase64 ? fromBase64(body) : fromPercents(body);
  if (bytes === undefined) return undefined;
  return { bytes, ...(mediaType.trim() !== '' && { mediaType: mediaType.trim() }) };
}

/** Node would take anything for base64 and leave out what it does not understand. */
function fromBase64(text: string): Uint8Array | undefined {
  const digits = (text.includes('%') ? fromPercents(text).toString('latin1') : text).replace(/[\t\n\f\r ]+/g, '');
  const padding = digits.endsWith('==') ? 2 : digits.endsWith('=') ? 1 : 0;
  const bytes = Buffer.from(digits, 'base64');
  const expected = Math.floor(((digits.length - padding) * 3) / 4);
  const wellFormed = /^[A-Za-z0-9+/]*={0,2}$/.test(digits) && (padding === 0 || digits.length % 4 === 0);
  return wellFormed && (digits.length - padding) % 4 !== 1 && bytes.length === expected ? bytes : undefined;
}

/** A `%` without two hex digits stands for itself, as browsers read it. */
function fromPercents(text: string): Buffer {
  const pieces = text.split(/((?:%[0-9a-f]{2})+)/i);
  return Buffer.concat(
    pieces.map((piece, index) =>
      index % 2 === 1 ? Buffer.from(piece.replaceAll('%', ''), 'hex') : Buffer.from(piece, 'utf8'),
    ),
  );
}
