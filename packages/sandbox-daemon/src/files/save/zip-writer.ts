import * as zlib from 'node:zlib';

// Node has crc32 since 20.15, but the types of Node 20 lack it.
const { crc32 } = zlib as unknown as { crc32: (data: Buffer) => number };

const [localMark, entryMark, endMark] = [0x04034b50, 0x02014b50, 0x06054b50];
const version = 20;
const deflated = 8;
const utf8Names = 0x0800;
/** All files have the time 1 January 1980, so that the same rows give the same bytes. */
const firstDay = 0x0021;

/** Makes a ZIP of files, given by name. */
export function zipOf(files: Readonly<Record<string, Buffer>>): Buffer {
  const parts: Buffer[] = [];
  const entries: Buffer[] = [];
  let offset = 0;
  for (const [name, content] of Object.entries(files)) {
    const packed = zlib.deflateRawSync(content);
    const fields = Buffer.alloc(26);
    fields.writeUInt16LE(version, 0);
    fields.writeUInt16LE(utf8Names, 2);
    fields.writeUInt16LE(deflated, 4);
    fields.writeUInt16LE(firstDay, 8);
    fields.writeUInt32LE(crc32(content), 10);
    fields.writeUInt32LE(packed.length, 14);
    fields.writeUInt32LE(content.length, 18);
    fields.writeUInt16LE(Buffer.byteLength(name), 22);
    parts.push(numbers(localMark), fields, Buffer.from(name), packed);
    // After these fields come a comment, a disk, two kinds of attributes, and the offset of the file.
    const rest = Buffer.alloc(14);
    rest.writeUInt32LE(offset, 10);
    entries.push(numbers(entryMark), Buffer.from([version, 0]), fields, rest, Buffer.from(name));
    offset += 30 + Buffer.byteLength(name) + packed.length;
  }
  const directory = Buffer.concat(entries);
  const end = Buffer.alloc(18);
  const count = Object.keys(files).length;
  end.writeUInt16LE(count, 4);
  end.writeUInt16LE(count, 6);
  end.writeUInt32LE(directory.length, 8);
  end.writeUInt32LE(offset, 12);
  return Buffer.concat([...parts, directory, numbers(endMark), end]);
}

function numbers(mark: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(mark);
  return bytes;
}
