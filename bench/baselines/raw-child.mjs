// The floor for anything that talks to a child over pipes. node raw-child.mjs echo|source|sink
const modes = {
  /** Everything comes back as it is. */
  echo(chunk) {
    process.stdout.write(chunk);
  },
  /** A number of bytes on a line: so many come back. */
  source(chunk) {
    process.stdout.write(bytes(Number(chunk.toString().trim())));
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

process.stdin.on('data', modes[process.argv[2]]);
