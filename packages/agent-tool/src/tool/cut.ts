/** As many whole characters from the start of UTF-8 `text` as fit into `maxBytes`. */
export function headOf(text: Buffer, maxBytes: number): Buffer {
  if (text.length <= maxBytes) return text;
  let end = maxBytes;
  while (end > 0 && isContinuation(text[end])) end--;
  return text.subarray(0, end);
}

/** The same from the end. */
export function tailOf(text: Buffer, maxBytes: number): Buffer {
  if (text.length <= maxBytes) return text;
  let start = text.length - maxBytes;
  while (start < text.length && isContinuation(text[start])) start++;
  return text.subarray(start);
}

function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80;
}
