import { closeSync, openSync, readFileSync, readSync, statSync } from 'node:fs';

/**
 * One job in the forms that the peers take.
 *
 * @typedef {{
 *   script: string,
 *   body: string,
 *   python: string,
 *   scope?: object,
 *   limits?: object,
 *   functions?: Record<string, (...args: never[]) => unknown>,
 * }} Job `body`: as a function body; `scope`: for those with the sidecar's built-ins; `functions`: for the
 *   others, the same functions by the host
 */

/** @type {Job} */
export const sum = { script: '1 + 1', body: 'return 1 + 1', python: '1 + 1' };

const read = (url) => readFileSync(new URL(url, import.meta.url), 'utf8');

/** @param {string} log @returns {Job} */
export function topErrors(log) {
  const script = read('../../examples/top-errors.js');
  return {
    script,
    body: script.replace('\nlargest(counts', '\nreturn largest(counts'),
    python: read('top-errors.py'),
    scope: { attachments: [{ name: 'server.log', path: log }] },
    limits: { timeoutMs: 60_000 },
    functions: {
      list_files: () => ['attachments:server.log'],
      file_stats: () => ({ size: statSync(log).size, isText: true }),
      read_file: (_name, { start, length }) => readRange(log, start, length),
    },
  };
}

function readRange(path, start, length) {
  const file = openSync(path, 'r');
  try {
    const buffer = Buffer.alloc(length);
    return buffer.toString('utf8', 0, readSync(file, buffer, 0, length, start));
  } finally {
    closeSync(file);
  }
}
