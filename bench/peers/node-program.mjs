// node node-program.mjs FILE prints how many ms it took.
import { open } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

/** The five most common error codes as a Node program would find them, in pieces of 1 MiB as the script does. */
export async function topErrorsInNode(path) {
  const counts = new Map();
  const file = await open(path);
  const buffer = Buffer.alloc(1024 * 1024);
  let rest = '';
  for (let position = 0; ;) {
    const { bytesRead } = await file.read(buffer, 0, buffer.length, position);
    if (bytesRead === 0) break;
    position += bytesRead;
    const text = rest + buffer.toString('latin1', 0, bytesRead);
    const end = text.lastIndexOf('\n') + 1;
    rest = text.slice(end);
    for (const code of text.slice(0, end).match(/ ERROR \S+/g) ?? []) counts.set(code, (counts.get(code) ?? 0) + 1);
  }
  await file.close();
  return [...counts]
    .map(([match, count]) => ({ code: match.slice(' ERROR '.length), count }))
    .toSorted((a, b) => b.count - a.count)
    .slice(0, 5);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const startedAt = performance.now();
  await topErrorsInNode(process.argv[2]);
  process.stdout.write(String(performance.now() - startedAt));
}
