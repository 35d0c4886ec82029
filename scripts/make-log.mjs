// The deterministic server log of the demo, the tests and the bench: same size, same bytes.
// node scripts/make-log.mjs OUT [MEGABYTES=80]
import { open, rename, rm } from 'node:fs/promises';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const MiB = 1024 * 1024;
const codes = ['E1001', 'E2002', 'E3003', 'E4004', 'E5005', 'E6006', 'E7007'];

/** No line is longer. The file ends with the line that reaches the target. */
const maxLineBytes = 87;

/** Whether a finished log of this size has `bytes` bytes. */
export function isLogSize(bytes, megabytes) {
  const target = megabytes * MiB;
  return bytes >= target && bytes < target + maxLineBytes;
}

/**
 * Writes the log. It appears under its name only when it is whole.
 *
 * @param {string} path
 * @param {{ megabytes?: number, signal?: AbortSignal, onProgress?: (bytes: { written: number, total: number }) => void }} [options]
 */
export async function makeLog(path, { megabytes = 80, signal, onProgress } = {}) {
  const partial = `${path}.${process.pid}.part`;
  const total = megabytes * MiB;
  try {
    await writeBlocks(partial, total, signal, onProgress);
    await rename(partial, path);
  } catch (error) {
    await rm(partial, { force: true });
    throw error;
  }
}

async function writeBlocks(path, total, signal, onProgress) {
  const file = await open(path, 'w');
  try {
    let written = 0;
    for (const block of blocks(total)) {
      signal?.throwIfAborted();
      await file.writeFile(block);
      written += block.length;
      onProgress?.({ written, total });
    }
  } finally {
    await file.close();
  }
}

/** The log's text, about 1 MiB at a time. */
function* blocks(total) {
  const random = randomNumbers(42);
  let written = 0;
  let block = '';
  while (written < total) {
    const line = makeLine(random);
    block += line;
    written += line.length;
    if (block.length > MiB) {
      yield block;
      block = '';
    }
  }
  yield block;
}

function makeLine(random) {
  const second = String(below(random, 60)).padStart(2, '0');
  // The product of two numbers makes the first codes the frequent ones.
  const level = random() < 0.1 ? `ERROR ${codes[Math.floor(random() * random() * codes.length)]}` : 'INFO ok';
  const id = below(random, 1e9);
  const path = `/api/v1/items/${below(random, 1000)}`;
  return `2026-04-20T12:${second}:00Z ${level} request id=${id} path=${path} dur=${below(random, 1000)}ms\n`;
}

function below(random, limit) {
  return Math.floor(random() * limit);
}

/** A linear congruential generator, because `Math.random` has no seed. */
function randomNumbers(seed) {
  let state = seed;
  return () => (state = (Math.imul(state, 1103515245) + 12345) & 0x7fffffff) / 0x7fffffff;
}

/** @param {string[]} args */
async function main([out, megabytes = '80']) {
  if (out === undefined || !(Number(megabytes) > 0)) {
    process.stderr.write('usage: node scripts/make-log.mjs OUT [MEGABYTES]\n');
    process.exitCode = 2;
    return;
  }
  await makeLog(resolve(out), { megabytes: Number(megabytes) });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main(process.argv.slice(2));
