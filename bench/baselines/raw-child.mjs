// The floor for anything that talks to a child over pipes. node raw-child.mjs echo|source|sink|relay
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const modes = {
  /** Everything comes back as it is. */
  echo(chunk) {
    process.stdout.write(chunk);
  },
  /** A number of bytes on a line: so many come back. */
  source(chunk) {
    process.stdout.write(bytes(Number(chunk.toString().trim())));
  },
  /** Passes everything on to an echo of its own, as a process between two others. */
  relay(chunk) {
    behind ??= openBehind();
    behind.stdin.write(chunk);
  },
  /** Reads until the byte that ends a message, and answers with one byte. */
  sink(chunk) {
    if (chunk[chunk.length - 1] === 0x0a) process.stdout.write('\n');
  },
};

let kept = Buffer.alloc(0);

function bytes(length) {
  if (kept.length !== length) kept = Buffer.alloc(length, 'x');
  return kept;
}

/** @type {import('node:child_process').ChildProcessByStdio<import('node:stream').Writable, import('node:stream').Readable, null> | undefined} */
let behind;

function openBehind() {
  const child = spawn(process.execPath, [fileURLToPath(import.meta.url), 'echo'], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  child.stdout.on('data', (chunk) => process.stdout.write(chunk));
  process.on('SIGTERM', () => process.exit(0)).on('exit', () => child.kill());
  return child;
}

process.stdin.on('data', modes[process.argv[2]]);
