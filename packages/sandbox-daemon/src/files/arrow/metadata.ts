/** The kinds of messages, by their numbers in the format. */
export const messageKinds = { schema: 1, dictionary: 2, records: 3 } as const;

const types = { timestamp: 10, union: 14 } as const;

/** No schema has so many fields, names and buffers. A name counts for each 64 of its bytes. */
const maxSteps = 100_000;
const maxDepth = 30;
/** No file has so many rows in one batch. */
const maxRows = 2 ** 26;
/** The library makes a list of all values of a dictionary. */
const maxWords = 2 ** 20;

/** What a message says of itself. */
export interface MessageFacts {
  kind: number;
  bodyLength: number;
}

/**
 * Walks through the metadata of a message as the library does, and ends where that would take memory or time that the
 * file does not have: a list of two billion entries takes four bytes, and the same fields in fields take a hundred.
 *
 * @throws {Error} for metadata that is broken or too much
 */
export function checkMetadata(bytes: Buffer): MessageFacts {
  const walk = new Walk(bytes);
  const message = walk.table(0);
  const kind = bytes.readUInt8(message(6) ?? 0);
  const bodyAt = message(10);
  const bodyLength = bodyAt === undefined ? 0 : Number(bytes.readBigInt64LE(bodyAt));
  const headerAt = message(8);
  if (message(6) === undefined || headerAt === undefined) throw new Error('a message has no header');
  if (kind === messageKinds.schema) walk.schema(headerAt);
  else if (kind === messageKinds.records) walk.records(headerAt);
  else if (kind === messageKinds.dictionary) walk.dictionary(headerAt);
  else throw new Error(`it has a message of the unknown kind ${kind}`);
  return { kind, bodyLength };
}

/** A field of a table by its place in the format; `undefined` when the table does not have it. */
type Fields = (place: number) => number | undefined;

/** Reads tables and lists of metadata, and counts what it reads. */
export class Walk {
  readonly #bytes: Buffer;
  #left = maxSteps;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  table(at: number): Fields {
    this.#spend(1);
    const start = at + this.#bytes.readInt32LE(at);
    const places = start - this.#bytes.readInt32LE(start);
    const size = this.#bytes.readInt16LE(places);
    return (place) => {
      const offset = place < size ? this.#bytes.readInt16LE(places + place) : 0;
      return offset === 0 ? undefined : start + offset;
    };
  }

  schema(at: number): void {
    const schema = this.table(at);
    const endianness = schema(4);
    if (endianness !== undefined && this.#bytes.readInt16LE(endianness) !== 0) throw new Error('it is big-endian');
    for (const field of this.list(schema(6))) this.#field(field, 0);
    this.#pairs(schema(8));
  }

  records(at: number, mostRows = maxRows): void {
    const batch = this.table(at);
    for (const node of this.list(batch(6), 16)) {
      const length = this.#bytes.readBigInt64LE(node);
      if (length < 0n || length > BigInt(mostRows))
        throw new Error(`a batch has ${length} rows, and one may have ${mostRows}`);
    }
    const buffers = this.list(batch(8), 16).length;
    for (const count of this.list(batch(12), 8)) {
      const value = this.#bytes.readBigInt64LE(count);
      if (value < 0n || value > BigInt(buffers)) throw new Error('a column has more buffers than there are');
    }
  }

  dictionary(at: number): void {
    const data = this.table(at)(6);
    if (data !== undefined) this.records(data, maxWords);
  }

  #field(at: number, depth: number): void {
    if (depth > maxDepth) throw new Error('its columns nest too deep');
    const field = this.table(at);
    this.#text(field(4));
    const kindAt = field(8);
    const kind = kindAt === undefined ? 0 : this.#bytes.readUInt8(kindAt);
    const type = field(10);
    if (type !== undefined && kind === types.timestamp) this.#text(this.table(type)(6));
    if (type !== undefined && kind === types.union) this.list(this.table(type)(6));
    for (const child of this.list(field(14))) this.#field(child, depth + 1);
    this.#pairs(field(16));
  }

  #pairs(at: number | undefined): void {
    for (const one of this.list(at)) {
      const pair = this.table(one);
      this.#text(pair(4));
      this.#text(pair(6));
    }
  }

  #text(at: number | undefined): void {
    if (at === undefined) return;
    const length = this.#bytes.readInt32LE(at + this.#bytes.readInt32LE(at));
    if (length < 0) throw new Error('a name has no length');
    this.#spend(length / 64);
  }

  /** The places of its entries. */
  list(at: number | undefined, stride = 4): number[] {
    if (at === undefined) return [];
    const base = at + this.#bytes.readInt32LE(at);
    const length = this.#bytes.readInt32LE(base);
    if (length < 0) throw new Error('a list has no length');
    this.#spend(length);
    return Array.from({ length }, (_, index) => base + 4 + index * stride);
  }

  #spend(steps: number): void {
    this.#left -= steps;
    if (this.#left < 0) throw new Error('its schema is too large');
  }
}
