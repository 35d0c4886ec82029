// Objects of git that git itself would not make.
import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { deflateSync } from 'node:zlib';

/** Writes an object as git does. @returns its id */
function object(app: string, type: 'blob' | 'tree' | 'commit', content: Buffer | string): string {
  const bytes = Buffer.concat([Buffer.from(`${type} ${Buffer.byteLength(content)}\0`), Buffer.from(content)]);
  const oid = createHash('sha1').update(bytes).digest('hex');
  const path = join(app, '.git/objects', oid.slice(0, 2), oid.slice(2));
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, deflateSync(bytes));
  return oid;
}

export function tree(app: string, entries: readonly [mode: string, name: string, oid: string][]): string {
  const parts = entries.map(([mode, name, oid]) =>
    Buffer.concat([Buffer.from(`${mode} ${name}\0`), Buffer.from(oid, 'hex')]),
  );
  return object(app, 'tree', Buffer.concat(parts));
}

const person = 'Person <person@example.org> 1700000000 +0000';

export function commit(
  app: string,
  treeId: string,
  parents: readonly string[],
  people = `author ${person}\ncommitter ${person}\n`,
): string {
  const lines = [`tree ${treeId}`, ...parents.map((parent) => `parent ${parent}`)];
  return object(app, 'commit', `${lines.join('\n')}\n${people}\nBomb\n`);
}

/** A pack with one entry, whose bytes are given, and the index that leads to it. */
export function pack(app: string, oid: string, entry: readonly Buffer[]): void {
  const start = Buffer.from('PACK\0\0\0\x02\0\0\0\x01', 'latin1');
  const end = Buffer.alloc(20);
  const first = Number.parseInt(oid.slice(0, 2), 16);
  const counts = Buffer.alloc(256 * 4);
  for (let at = first; at < 256; at++) counts.writeUInt32BE(1, at * 4);
  const offset = Buffer.of(0, 0, 0, start.length);
  const index = [
    Buffer.of(0xff, 0x74, 0x4f, 0x63, 0, 0, 0, 2),
    counts,
    Buffer.from(oid, 'hex'),
    Buffer.alloc(4),
    offset,
    end,
    end,
  ];
  const path = join(app, '.git/objects/pack/pack-0123456789012345678901234567890123456789');
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(`${path}.pack`, Buffer.concat([start, ...entry, end]));
  writeFileSync(`${path}.idx`, Buffer.concat(index));
}

/** How a pack begins an object: its type, and its size in seven bits a byte. */
export function packHeader(type: number, size: number): Buffer {
  const bytes = [(type << 4) | (size & 15)];
  for (let rest = Math.floor(size / 16); rest > 0; rest = Math.floor(rest / 128)) {
    bytes[bytes.length - 1] = (bytes.at(-1) as number) | 128;
    bytes.push(rest % 128);
  }
  return Buffer.from(bytes);
}

export function checkOut(app: string, oid: string): void {
  writeFileSync(join(app, '.git/refs/heads/main'), `${oid}\n`);
}

/** Forty folders in one another, each with the one below twice. */
export function nested(app: string, name: string): string {
  let inner = tree(app, [['100644', 'file', object(app, 'blob', 'x')]]);
  for (let depth = 0; depth < 40; depth++) {
    inner = tree(app, [
      ['40000', `${name}1`, inner],
      ['40000', `${name}2`, inner],
    ]);
  }
  return inner;
}
