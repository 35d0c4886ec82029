// Writes the body of each request into the file that its argument names.
import { createWriteStream } from 'node:fs';
import { createServer } from 'node:http';
import { pipeline } from 'node:stream/promises';

const [, , file] = process.argv;
const server = createServer((request, response) => {
  const written = pipeline(request, createWriteStream(file, { highWaterMark: 1024 * 1024 }));
  written.then(
    () => response.end('{}'),
    () => response.destroy(),
  );
});
server.listen(0, '127.0.0.1', () => {
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  process.stdout.write(`http://127.0.0.1:${port}\n`);
});
process.on('SIGTERM', () => process.exit(0));
