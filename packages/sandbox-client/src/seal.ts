import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

/** A key of the host. */
export interface Key {
  /** The id of the key that sealed. It is unique among the keys, and has at most 64 characters. */
  id: string;
  /** 32 bytes. */
  key: Uint8Array;
}

/**
 * Why sealed bytes are not opened. They are malformed or were changed, their key is not among the keys here, or a field
 * of what they are bound to differs.
 */
export type SealRefusal<Bound> = 'shapeless' | 'forged' | 'unknown_key' | keyof Bound;

const magic = Buffer.from('MSR1');
const ivBytes = 12;
const tagBytes = 16;
const keyBytes = 32;
const cipher = 'aes-256-gcm';

/** What is wrong with keys, in words; `undefined` when they are valid. */
export function problemOfKeys(keys: readonly Key[]): string | undefined {
  if (keys.length === 0) return 'keys: give at least one key, which seals.';
  if (new Set(keys.map(({ id }) => id)).size < keys.length) return 'keys: two keys have the same id.';
  const wrong = keys.find(({ id, key }) => key.length !== keyBytes || id.length === 0 || id.length > 64);
  return wrong && `keys: '${wrong.id.slice(0, 64)}' must have 32 bytes, and an id of 1 to 64 characters.`;
}

/**
 * Encrypts bytes and authenticates them with AES-256-GCM, for one purpose and no other.
 *
 * @typeParam Bound what the bytes are for. Its values are compared, and are readable in the sealed bytes
 */
export class Sealer<Bound extends object> {
  readonly #keys: Map<string, Buffer>;
  readonly #first: string;
  readonly #refuse: (why: SealRefusal<Bound>) => Error;

  /**
   * @param keys the first one seals
   * @param refuse makes the error for bytes that are not opened
   */
  constructor(keys: readonly Key[], refuse: (why: SealRefusal<Bound>) => Error) {
    this.#keys = new Map(keys.map(({ id, key }) => [id, Buffer.from(key)]));
    this.#first = keys[0]?.id ?? '';
    this.#refuse = refuse;
  }

  seal(bytes: Uint8Array, bound: Bound): Buffer {
    const head = Buffer.from(JSON.stringify({ key: this.#first, ...bound }));
    const length = Buffer.alloc(4);
    length.writeUInt32LE(head.length);
    const iv = randomBytes(ivBytes);
    const sealed = createCipheriv(cipher, this.#keys.get(this.#first) as Buffer, iv);
    sealed.setAAD(Buffer.concat([magic, head]));
    const body = Buffer.concat([sealed.update(bytes), sealed.final()]);
    return Buffer.concat([magic, length, head, iv, sealed.getAuthTag(), body]);
  }

  /**
   * The bytes that were sealed, if they are for `expected`.
   *
   * @throws the error of `refuse`
   */
  open(sealed: Uint8Array, expected: Bound): Buffer {
    const parts = partsOf<Bound>(Buffer.from(sealed.buffer, sealed.byteOffset, sealed.length));
    if (parts === undefined) throw this.#refuse('shapeless');
    const { head, text, iv, tag, body } = parts;
    const key = this.#keys.get(head.key);
    if (key === undefined) throw this.#refuse('unknown_key');
    const opened = createDecipheriv(cipher, key, iv, { authTagLength: tagBytes });
    opened.setAAD(Buffer.concat([magic, text]));
    opened.setAuthTag(tag);
    let bytes: Buffer;
    try {
      bytes = Buffer.concat([opened.update(body), opened.final()]);
    } catch {
      throw this.#refuse('forged');
    }
    // Only here is it certain that the head was sealed by us.
    const other = (Object.keys(expected) as (keyof Bound)[]).find((field) => head[field] !== expected[field]);
    if (other !== undefined) throw this.#refuse(other);
    return bytes;
  }
}

interface Parts<Bound> {
  head: Bound & { key: string };
  /** The text of the head, as it was sealed. */
  text: Buffer;
  iv: Buffer;
  tag: Buffer;
  body: Buffer;
}

function partsOf<Bound>(bytes: Buffer): Parts<Bound> | undefined {
  const start = magic.length + 4;
  const length = bytes.length < start ? Infinity : bytes.readUInt32LE(magic.length);
  const end = start + length;
  if (!bytes.subarray(0, magic.length).equals(magic) || end + ivBytes + tagBytes > bytes.length) return undefined;
  const text = bytes.subarray(start, end);
  const tagAt = end + ivBytes;
  const parts = { text, iv: bytes.subarray(end, tagAt), tag: bytes.subarray(tagAt, tagAt + tagBytes) };
  try {
    const head: unknown = JSON.parse(text.toString());
    if (typeof head !== 'object' || head === null) return undefined;
    return { ...parts, head: head as Parts<Bound>['head'], body: bytes.subarray(tagAt + tagBytes) };
  } catch {
    return undefined;
  }
}
