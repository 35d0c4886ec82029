// Deterministic records for the tests and the bench of the recipes, as CSV or as JSON lines: same size, same bytes.
// node scripts/make-records.mjs OUT.csv|OUT.jsonl [MEGABYTES=80]
import { closeSync, openSync, writeSync } from 'node:fs';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';

const MiB = 1024 * 1024;
const regions = ['north', 'south', 'east', 'west', 'Übersee'];
const levels = ['info', 'info', 'info', 'warn', 'error'];

/** How each ending is written: the head of the file, and one record. */
const formats = {
  '.csv': { head: 'id,time,customer,region,level,amount,note\n', write: toCsv },
  '.jsonl': { head: '', write: toJson },
};

/** Writes a file of at least that size; it ends with the record that reaches it. */
export function makeRecords(path, { megabytes = 80 } = {}) {
  const { head, write } = formats[extname(path)];
  const file = openSync(path, 'w');
  try {
    let block = head;
    let written = 0;
    for (const record of records()) {
      block += write(record);
      if (block.length < MiB) continue;
      written += writeSync(file, block);
      block = '';
      if (written >= megabytes * MiB) return;
    }
  } finally {
    closeSync(file);
  }
}

function* records() {
  const random = randomNumbers(7);
  const below = (limit) => Math.floor(random() * limit);
  for (let id = 1; ; id++) {
    yield {
      id,
      time: timeOf(id),
      customer: `C${1000 + below(2000)}`,
      region: regions[below(regions.length)],
      level: levels[below(levels.length)],
      cents: below(100_000),
      // One in fifty needs the quotes that CSV and JSON give it.
      note: below(50) === 0 ? `says "now", order ${id}` : 'an ordinary delivery',
    };
  }
}

/** A record every 40 ms of one day after the other. */
function timeOf(id) {
  const ms = id * 40;
  const two = (number) => String(Math.floor(number)).padStart(2, '0');
  const day = two(1 + ((ms / 86_400_000) % 28));
  return `2026-02-${day}T${two((ms / 3_600_000) % 24)}:${two((ms / 60_000) % 60)}:${two((ms / 1000) % 60)}.${String(ms % 1000).padStart(3, '0')}Z`;
}

function toCsv({ id, time, customer, region, level, cents, note }) {
  const quoted = note.includes('"') ? `"${note.replaceAll('"', '""')}"` : note;
  return `${id},${time},${customer},${region},${level},${cents / 100},${quoted}\n`;
}

function toJson({ id, time, customer, region, level, cents, note }) {
  const user = { id: customer, region };
  return `${JSON.stringify({ id, time, level, user, ms: cents / 100, note })}\n`;
}

/** A linear congruential generator, because `Math.random` has no seed. */
function randomNumbers(seed) {
  let state = seed;
  return () => (state = (Math.imul(state, 1103515245) + 12345) & 0x7fffffff) / 0x80000000;
}

/** @param {string[]} args */
function main([out = '', megabytes = '80']) {
  if (formats[extname(out)] !== undefined && Number(megabytes) > 0) {
    makeRecords(out, { megabytes: Number(megabytes) });
    return;
  }
  process.stderr.write('usage: node scripts/make-records.mjs OUT.csv|OUT.jsonl [MEGABYTES]\n');
  process.exitCode = 2;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) main(process.argv.slice(2));
