// A sidecar that says what it is told: the script of a run is a JSON list of what to say. Texts are bytes in base64,
// anything else a message in which `$id` and `$runId` stand for the run's. `$id` of the greeting, the first argument,
// stands for that of `initialize`.
import { writeSync } from 'node:fs';

const [greeting] = process.argv.slice(2);

function say(words, id, runId) {
  for (const item of words) {
    if (typeof item === 'string') write(Buffer.from(item, 'base64'));
    else {
      const body = JSON.stringify({ jsonrpc: '2.0', ...item }, (_, value) =>
        value === '$id' ? id : value === '$runId' ? runId : value,
      );
      write(Buffer.from(`Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`));
    }
  }
}

function write(bytes) {
  for (let at = 0; at < bytes.length;) at += writeSync(1, bytes, at);
}

let buffer = Buffer.alloc(0);
process.stdin.on('data', (chunk) => {
  buffer = Buffer.concat([buffer, chunk]);
  for (;;) {
    const head = /^Content-Length: (\d+)\r\n\r\n/.exec(buffer.toString('latin1', 0, 40));
    if (head === null) return;
    const end = head[0].length + Number(head[1]);
    if (buffer.length < end) return;
    const { id, method, params } = JSON.parse(buffer.toString('utf8', head[0].length, end));
    buffer = buffer.subarray(end);
    if (method === 'initialize') say([JSON.parse(greeting)], id, '');
    else if (method === 'sandbox/run') say(JSON.parse(params.script), id, params.runId);
    else if (method === 'exit') process.exit(0);
  }
});
process.stdin.on('end', () => process.exit(0));
