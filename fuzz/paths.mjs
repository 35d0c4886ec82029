import { readdirSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { openFileAccess } from '../packages/sandbox-daemon/dist/files/index.js';
import { readJson } from '../packages/sandbox-daemon/dist/files/json/read-json.js';
import { pdfText } from '../packages/sandbox-daemon/dist/files/pdf-text.js';
import { readData } from '../packages/sandbox-daemon/dist/files/data/read-data.js';
import { readSheet } from '../packages/sandbox-daemon/dist/files/sheets/read-sheet.js';
import { profile } from '../packages/sandbox-daemon/dist/files/profile/profile.js';
import { query } from '../packages/sandbox-daemon/dist/files/query/query.js';
import { readLines } from '../packages/sandbox-daemon/dist/files/read-lines.js';
import { search } from '../packages/sandbox-daemon/dist/files/search/index.js';
import { SandboxError, scopeSchema } from '@mustard-sandbox/protocol';
import { must } from './campaign.mjs';
import { box, canary, identity, inBox, isDeniedHere, makeTree } from './tree.mjs';

const nasty = [
  ...[
    '..',
    '.',
    '',
    '...',
    '~',
    '~root',
    '%2e%2e',
    '%2f',
    '..%2f',
    '%00',
    '\u2024\u2024',
    '\uff0e\uff0e',
    '\uff0f',
    '\u2215',
  ],
  ...[
    'C:',
    'a:b',
    'a.txt::$DATA',
    '\\',
    '..\\',
    '\\\\?\\C:\\',
    'CON',
    'nul.txt',
    'COM\u00b9',
    'GIT~1',
    'attachments:',
    'log',
  ],
  ...[
    'a\0',
    'a\n',
    '\u202e',
    '\ufeff',
    '\u200d',
    '\ud800',
    '\ufffd',
    '.EnV',
    '.\u017fsh',
    '.g\u200cit',
    '.git.',
    '.git ',
    '.SSH',
  ],
  ...[
    'cafe\u0301.txt',
    'CAF\u00c9.TXT',
    'A.TXT',
    'proc',
    'self',
    'fd',
    'environ',
    'etc',
    'passwd',
    'root',
    'outside',
    'a'.repeat(255),
  ],
];
const codes = new Set(['capability_denied', 'script_error', 'invalid_request', 'limit_exceeded']);
// oxlint-disable-next-line no-control-regex -- that is the point
const unprintable = /[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\ufeff]/;

export async function open() {
  const tree = await makeTree();
  const files = openFileAccess(scopeSchema.parse({ ...tree.scope, maxTotalReadBytes: 2 ** 34 }));
  const descriptors = () => (process.platform === 'linux' ? readdirSync('/proc/self/fd').length : 0);
  const before = descriptors();
  const path = guestPath(tree);
  const glob = globOf(path);
  const laws = {
    'what a pattern finds can be read': fc.property(glob, (asked) => checkFind(tree, files, asked)),
    'what a search, lines, a query, JSON and a PDF give is inside': fc.asyncProperty(glob, options, (asked, given) =>
      checkSearch(tree, files, asked, given),
    ),
    'what a path gives is inside': fc.property(path, (asked) => checkPath(tree, files, asked)),
    'what a list shows can be read': fc.property(path, (asked) => checkList(tree, files, asked)),
  };
  const remains = async () => {
    const opened = descriptors() - before;
    // The runtime opens one or two of its own.
    return opened <= 3
      ? []
      : [{ law: 'no descriptor stays open', seed: 0, error: `${opened} more`, input: '', file: '' }];
  };
  return { laws, batchRuns: 500, remains, close: () => tree.close() };
}

/** A path, with parts of patterns in it. */
function globOf(path) {
  const piece = fc.constantFrom(
    '*',
    '**',
    '**/',
    '*.txt',
    '{a,b}',
    '{',
    '}',
    '[',
    '[!a]',
    '[a-z]',
    '?',
    ',',
    '/*',
    '.*',
  );
  const withPieces = fc.tuple(path, fc.array(piece, { maxLength: 4 }), fc.nat(20)).map(([asked, pieces, at]) => {
    if (typeof asked !== 'string') return asked;
    return asked.slice(0, at) + pieces.join('') + asked.slice(at);
  });
  return fc.oneof(path, withPieces, fc.array(withPieces, { maxLength: 3 }));
}

/** Options of every built-in, right ones and wrong ones. */
const options = fc.oneof(
  fc.constant(undefined),
  fc.record(
    {
      limit: fc.integer({ min: -1, max: 5 }),
      before: fc.integer({ min: -1, max: 5 }),
      after: fc.integer({ min: 0, max: 5 }),
      start: fc.integer({ min: -1, max: 5 }),
      count: fc.oneof(fc.boolean(), fc.nat(5)),
      invert: fc.boolean(),
      encoding: fc.constantFrom('utf8', 'latin1', 'utf16le', 'no'),
      pointer: fc.constantFrom('', '/a', '$.a[*]', '$', 'a'),
      pages: fc.constantFrom([1, 1], [0, 2], 3),
    },
    { requiredKeys: [] },
  ),
  fc.anything(),
);

function guestPath({ names, wholePaths, world, root }) {
  const name = fc.oneof(
    { weight: 6, arbitrary: fc.constantFrom(...names) },
    { weight: 3, arbitrary: fc.constantFrom(...nasty) },
    { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 5 }) },
  );
  const separator = fc.oneof(
    { weight: 8, arbitrary: fc.constant('/') },
    fc.constantFrom('//', '/./', '\\', '/../', '\u2215'),
  );
  const joined = fc
    .array(fc.tuple(name, separator), { minLength: 1, maxLength: 6 })
    .map((parts) => parts.map(([part, between], index) => (index === 0 ? part : between + part)).join(''));
  const whole = fc.tuple(
    fc.constantFrom(...wholePaths),
    fc.constantFrom('', '/', '/.', '//', '/..', '/x', '\0', ' ', '.'),
  );
  const start = fc.constantFrom(
    '',
    '',
    '',
    './',
    '/',
    '//',
    root,
    `${world}/`,
    '~/',
    'attachments:',
    'file://',
    '/proc/self/cwd/',
  );
  return fc.oneof(
    { weight: 5, arbitrary: fc.tuple(start, joined).map((parts) => parts.join('')) },
    { weight: 4, arbitrary: whole.map((parts) => parts.join('')) },
    { weight: 1, arbitrary: fc.anything() },
  );
}

/** What one call gave: a value, or the error it ended with, which must be in order. */
function attempt(tree, asked, body) {
  let value;
  try {
    value = body();
  } catch (/** @type {any} */ error) {
    must(error instanceof SandboxError, `not typed: ${error?.stack}`);
    must(codes.has(error.code), `code ${error.code}`);
    must(!unprintable.test(error.message) && error.message.length < 1_000, `message ${JSON.stringify(error.message)}`);
    const told = JSON.stringify({ ...error.toJSON(), details: { ...error.details, path: '' } });
    const own = [asked].flat().some((one) => typeof one === 'string' && one.includes(tree.world));
    must(own || !told.includes(tree.world), `tells where the tree is: ${told}`);
    must(!told.includes(canary), 'the canary is in an error');
    return { error };
  }
  must(!JSON.stringify(value).includes(canary), 'the canary came back');
  return { value };
}

/** The same for a call that gives a promise. */
async function attemptLater(tree, asked, body) {
  const settled = await body().then(
    (value) => () => value,
    (error) => () => {
      throw error;
    },
  );
  return attempt(tree, asked, settled);
}

function checkFind(tree, files, asked) {
  const { value: found } = attempt(tree, asked, () => files.findFiles(asked));
  if (found === undefined) return;
  must(JSON.stringify(found) === JSON.stringify(found.toSorted()), 'not sorted');
  for (const path of found) checkPath(tree, files, path);
  for (const path of found) must(contentOf(tree, path) !== undefined, `found ${JSON.stringify(path)}, not inside`);
}

async function checkSearch(tree, files, asked, given) {
  const all = { source: '', flags: '' };
  const { value: answer } = attempt(tree, asked, () => search(files, asked, all, given));
  // A count, or the fields of matches, name no file.
  if (Array.isArray(answer?.found)) {
    for (const { path } of answer.found) {
      must(contentOf(tree, path) !== undefined, `searched ${JSON.stringify(path)}, which is not inside`);
    }
  }
  const one = Array.isArray(asked) ? asked[0] : asked;
  const whole = {
    read_lines: () => readLines(files, one, given),
    read_json: () => readJson(files, [one, given]),
    pdf_text: () => pdfText(files, [one, given]),
    read_data: () => readData(files, [one, given]),
    read_sheet: () => readSheet(files, [one, given]),
    profile: () => profile(files, [one, given]),
    query: () => query(files, ['select count(*) as n from t', { t: one }, given]),
  };
  for (const [name, call] of Object.entries(whole)) {
    const { value } = await attemptLater(tree, one, async () => JSON.stringify(await call()) ?? '');
    // These take what `find_files` finds for a pattern, which `checkFind` looks at.
    if ((name === 'query' || name === 'profile') && typeof one === 'string' && /[*?[{]/.test(one)) continue;
    if (value !== undefined) must(contentOf(tree, one) !== undefined, `${name} read ${JSON.stringify(one)}`);
  }
}

function checkPath(tree, files, asked) {
  const read = attempt(tree, asked, () => files.readFile(asked, undefined).toString());
  // It has a size, and no text.
  if (read.error?.message.includes('is a tar archive')) return;
  const stats = attempt(tree, asked, () => files.fileStats(asked));
  must(
    (read.error?.code ?? '') === (stats.error?.code ?? ''),
    `read ${read.error?.message}, stats ${stats.error?.message}`,
  );
  const expected = typeof asked === 'string' ? contentOf(tree, asked) : undefined;
  if (read.value !== undefined) {
    must(expected !== undefined, `read ${JSON.stringify(read.value)}, which is not inside`);
    const text = expected?.text ?? '';
    must(read.value === text, `read ${JSON.stringify(read.value)} instead of ${JSON.stringify(text)}`);
    must(stats.value.size === Buffer.byteLength(text), `a size of ${stats.value.size}`);
  } else if (expected?.plain) {
    must(false, `refused what is inside: ${read.error.message}`);
  }
}

/**
 * The content that a path may give, found without the code under test: by what the system says it leads to.
 * `plain`: nothing about it is unusual, so it must be given.
 */
function contentOf(tree, asked) {
  const at = asked.indexOf('!/');
  return at === -1 ? contentOnDisk(tree, asked) : contentInBox(tree, asked.slice(0, at), asked.slice(at + 2));
}

/** What a path in the archive may give: by what the system says the archive is, and by what was put into it. */
function contentInBox({ root }, archive, member) {
  const named = (path) => path.split('/').filter((segment) => segment !== '' && segment !== '.');
  const [outer, segments] = [named(archive), named(member)];
  if (archive.startsWith('/') || archive.includes('\0')) return undefined;
  if ([...outer, ...segments].some((segment) => segment === '..' || isDeniedHere(segment))) return undefined;
  try {
    const isBox = identity(realpathSync.native([root, ...outer].join('/'))) === identity(join(root, box));
    const text = isBox ? inBox[segments.join('/')] : undefined;
    return text === undefined ? undefined : { text, plain: archive === box };
  } catch {
    return undefined;
  }
}

function contentOnDisk({ root, files, names }, asked) {
  if (asked.startsWith('attachments:'))
    return asked === 'attachments:log' ? { text: 'attached', plain: true } : undefined;
  // The system would drop it from a name, a script may not.
  if (asked.includes('\0') || (asked.includes('..') && asked.split('/').includes('..'))) return undefined;
  if (asked.startsWith('/') || asked === '') return undefined;
  const segments = asked.split('/').filter((segment) => segment !== '' && segment !== '.');
  if (segments.some(isDeniedHere)) return undefined;
  try {
    // As documented, empty and '.' segments are dropped, those at the end too.
    const real = realpathSync.native([root, ...segments].join('/'));
    const text = files.get(identity(real));
    if (text === undefined) return undefined;
    return { text, plain: segments.every((segment) => names.includes(segment)) };
  } catch {
    return undefined;
  }
}

function checkList(tree, files, asked) {
  const { value: list } = attempt(tree, asked, () => files.listFiles(asked));
  if (list === undefined) return;
  if (asked !== undefined && !String(asked).startsWith('attachments:') && !String(asked).includes('!/')) {
    must(tree.folders.has(identity(join(tree.root, asked))), `listed ${JSON.stringify(asked)}, which is not inside`);
  }
  must(JSON.stringify(list) === JSON.stringify(list.toSorted()), 'not sorted');
  for (const entry of list) {
    const read = entry.endsWith(box) ? () => files.fileStats(entry) : () => files.readFile(entry, undefined).toString();
    const use = entry.endsWith('/') ? () => files.listFiles(entry) : read;
    const { error } = attempt(tree, entry, use);
    must(error === undefined, `shows ${JSON.stringify(entry)}, which is refused: ${error?.message}`);
  }
}
