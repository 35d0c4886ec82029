// Files that are made to hold up or to take in whoever reads them.
import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  closeSync,
  openSync,
  readdirSync,
  readFileSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';

const pdf = readFileSync(new URL('../test/files/fixtures/three-pages.pdf', import.meta.url));
const rows = Array.from({ length: 50_000 }, (_, at) => `${at},x${(at * 7919) % 1009}\n`);
const csv = Buffer.from(`a,b\n${rows.join('')}`);

/**
 * @param {string} folder
 * @param {{ megabytes: number, lines: number }} size of the long line, and how many lines are empty
 * @returns the names of the files; those that change while they are read are in `changes`
 */
export function makeHostileFiles(folder, { megabytes, lines }) {
  const at = (name) => join(folder, name);
  writeFileSync(at('sparse'), '');
  truncateSync(at('sparse'), 5 * 2 ** 30);
  writeRepeated(at('one-line'), 'x'.repeat(2 ** 20), megabytes);
  // The same as one string of JSON.
  writeRepeated(at('one-string'), 'x'.repeat(2 ** 20), megabytes, '"');
  writeRepeated(at('empty-lines'), '\n'.repeat(10_000), Math.ceil(lines / 10_000));
  if (process.platform !== 'win32') execFileSync('mkfifo', [at('fifo')]);
  const packed = gzipSync(csv);
  const middle = packed.length >> 1;
  writeFileSync(at('cut.gz'), packed.subarray(0, middle));
  const broken = Buffer.from(packed).fill(0xff, middle, middle + 40);
  writeFileSync(at('broken.gz'), broken);
  writeFileSync(at('trailing.gz'), Buffer.concat([packed, Buffer.from('no gzip any more')]));
  writeFileSync(at('with-nul'), 'a,b\n1,x\0y\n2,\0\n\0,3\n');
  // It begins as a page and is a PDF from byte 40 on, which the format allows; its end is a script.
  const page = Buffer.from('<html><script>alert(1)</script><!--\n');
  writeFileSync(at('polyglot'), Buffer.concat([page, pdf, Buffer.from('\n--></html>\n')]));
  return readdirSync(folder).toSorted();
}

/** What another program does with a file while a script reads it. */
export const changes = {
  grows: { start: csv, change: (file) => appendFileSync(file, csv) },
  shrinks: {
    start: Buffer.concat(Array(40).fill(csv)),
    change: (file, turn) => (turn % 2 === 0 ? truncateSync(file, 100) : writeFileSync(file, changes.shrinks.start)),
  },
};

function writeRepeated(file, piece, times, around = '') {
  const handle = openSync(file, 'w');
  writeSync(handle, around);
  for (let done = 0; done < times; done++) writeSync(handle, piece);
  writeSync(handle, around);
  closeSync(handle);
}
