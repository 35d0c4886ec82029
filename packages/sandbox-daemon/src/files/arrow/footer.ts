import { messageKinds, Walk } from './metadata.ts';

/** The list at the end of a file. */
export interface Footer {
  bytes: Buffer;
  version: number;
  /** Where the schema is in these bytes. */
  schemaAt: number;
  /** Where the messages are in the file. */
  dictionaries: number[];
  records: number[];
}

const blockBytes = 24;

/** @throws {Error} for a list that is broken or too long */
export function footerOf(bytes: Buffer): Footer {
  const walk = new Walk(bytes);
  const footer = walk.table(0);
  const schema = footer(6);
  if (schema === undefined) throw new Error('it has no schema');
  walk.schema(schema);
  const version = footer(4);
  const placesIn = (at: number | undefined): number[] =>
    walk.list(at, blockBytes).map((block) => {
      const place = bytes.readBigInt64LE(block);
      if (place < 0n || place > BigInt(Number.MAX_SAFE_INTEGER)) throw new Error('a batch has no place');
      return Number(place);
    });
  return {
    bytes,
    version: version === undefined ? 0 : bytes.readInt16LE(version),
    schemaAt: schema + bytes.readInt32LE(schema),
    dictionaries: placesIn(footer(8)),
    records: placesIn(footer(10)),
  };
}

/**
 * The schema of a file as the message that a stream begins with: some writers leave it out in files. The table of the
 * message stands before the bytes of the list, and its header points into them.
 */
export function schemaMessage({ bytes, version, schemaAt }: Footer): Uint8Array<ArrayBuffer> {
  const [continuation, tableAt, headerAt, listAt] = [8, 16, 24, 28];
  const metadata = Buffer.alloc(listAt);
  metadata.writeInt32LE(tableAt, 0);
  // Of the table: the size of this list, its own size, and the places of its fields.
  [12, 12, 4, 6, headerAt - tableAt, 0].forEach((value, index) => metadata.writeInt16LE(value, 4 + 2 * index));
  metadata.writeInt32LE(tableAt - 4, tableAt);
  metadata.writeInt16LE(version, tableAt + 4);
  metadata.writeUInt8(messageKinds.schema, tableAt + 6);
  metadata.writeInt32LE(listAt + schemaAt - headerAt, headerAt);
  const message = new Uint8Array(continuation + listAt + bytes.length);
  new DataView(message.buffer).setInt32(0, -1, true);
  new DataView(message.buffer).setInt32(4, listAt + bytes.length, true);
  message.set(metadata, continuation);
  message.set(bytes, continuation + listAt);
  return message;
}
