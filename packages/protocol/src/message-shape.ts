import { SandboxError } from './errors.ts';
import { maxMessageDepth } from './limits.ts';

/** A shorter message cannot nest too deep or hold too many items, so it is not checked. Most messages are shorter. */
const shortBody = 2 * maxMessageDepth;

const [quoteMark, backslash, colon, dollar] = [0x22, 0x5c, 0x3a, 0x24];
/** `n` stands outside of texts in `null` only. */
const letterN = 0x6e;
const [openList, closeList, openObject, closeObject] = [0x5b, 0x5d, 0x7b, 0x7d];

/**
 * Checks depth and items in the bytes of a message in JSON, before they are parsed. V8 parses any depth, but code that
 * walks the value afterwards would overflow the stack. Many fields also take long to parse, and the host can do nothing
 * else meanwhile. Checking 10 MB takes 6 ms.
 *
 * @throws {SandboxError} `protocol_error`
 */
export function assertMessageShape(body: Uint8Array, maxItems: number): void {
  if (body.length <= shortBody) return;
  const { depth, items } = shapeOf(body);
  if (depth > maxMessageDepth) {
    throw new SandboxError('protocol_error', `A message nests deeper than ${maxMessageDepth} levels.`);
  }
  if (items > maxItems) {
    throw new SandboxError('protocol_error', `A message of ${items} fields, lists and objects exceeds ${maxItems}.`);
  }
}

/** What the bytes of JSON tell without parsing them. */
interface Shape {
  depth: number;
  /** Fields, lists and objects. */
  items: number;
  hasNull: boolean;
  /** Whether it holds the text `$`, which may be the key of an object that stands for a value outside of JSON. */
  hasTag: boolean;
}

/** The shape of JSON, which need not be valid. */
export function shapeOf(body: Uint8Array): Shape {
  let depth = 0;
  let deepest = 0;
  let items = 0;
  let hasNull = false;
  let hasTag = false;
  for (let index = 0; index < body.length; index++) {
    const byte = body[index];
    if (byte === quoteMark) {
      if (body[index + 1] === dollar && body[index + 2] === quoteMark) hasTag = true;
      index = endOfString(body, index);
    } else if (byte === openList || byte === openObject) {
      items++;
      if (++depth > deepest) deepest = depth;
    } else if (byte === closeList || byte === closeObject) depth--;
    else if (byte === colon) items++;
    else if (byte === letterN) hasNull = true;
  }
  return { depth: deepest, items, hasNull, hasTag };
}

/**
 * Most strings are shorter. In a longer one, Node's own search for the next quotation mark is a hundred times as fast
 * as this loop.
 */
const nearBytes = 64;

/** The index of the quotation mark that ends the string, or the end of the bytes. */
function endOfString(body: Uint8Array, start: number): number {
  let index = start + 1;
  for (const near = Math.min(body.length, index + nearBytes); index < near; index++) {
    if (body[index] === quoteMark) return index;
    if (body[index] === backslash) index++;
  }
  for (let end = body.indexOf(quoteMark, index); end !== -1; end = body.indexOf(quoteMark, end + 1)) {
    let escapes = 0;
    while (end - escapes > index && body[end - escapes - 1] === backslash) escapes++;
    if (escapes % 2 === 0) return end;
  }
  return body.length;
}
