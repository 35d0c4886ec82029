import { encodeValue } from '@mustard-sandbox/protocol';
import fc from 'fast-check';
import { almostTagged, sandboxValue } from './arbitraries.mjs';

/** Not so deep that the message itself is refused. */
const deep = fc.nat({ max: 300 }).map((levels) => {
  /** @type {unknown} */
  let value = 1;
  for (let level = 0; level < levels; level++) value = level % 2 === 0 ? [value] : { a: value };
  return value;
});

/** JSON that is not what anybody expects. */
const nasty = fc.oneof(
  fc.constantFrom(null, true, 0, -1, 0.5, 1e308, 2 ** 53, '', [], {}, 'constructor', '\u0000\u001b[2J\u2028\u202e'),
  fc.constant(Object.fromEntries([['__proto__', { polluted: 1 }]])),
  fc.string({ unit: 'binary' }),
  fc.jsonValue(),
  deep,
  fc.nat({ max: 40_000 }).map((length) => 'x'.repeat(length)),
);

/** Mostly right. */
const maybe = (arbitrary) => fc.oneof({ weight: 12, arbitrary }, { weight: 1, arbitrary: nasty });

/** An object whose fields may be wrong, missing or too many. */
function almost(fields) {
  const record = fc.record(
    Object.fromEntries(Object.entries(fields).map(([name, arbitrary]) => [name, maybe(arbitrary)])),
    { requiredKeys: [] },
  );
  const complete = fc.record(
    Object.fromEntries(Object.entries(fields).map(([name, arbitrary]) => [name, maybe(arbitrary)])),
  );
  const more = fc.tuple(complete, fc.string({ maxLength: 5 }), nasty).map(([object, name, value]) => ({
    ...object,
    ...Object.fromEntries([[name, value]]),
  }));
  return fc.oneof(
    { weight: 12, arbitrary: complete },
    { weight: 1, arbitrary: record },
    { weight: 1, arbitrary: more },
  );
}

const wireValue = fc.oneof(
  { weight: 3, arbitrary: fc.jsonValue().map((json) => ({ json })) },
  { weight: 2, arbitrary: almostTagged.map((tagged) => ({ tagged })) },
  { weight: 1, arbitrary: nasty },
);

const count = fc.constantFrom(0, 1, 2, 1_000);

/** What a script may read, with a folder that is there. @param {string} root */
function runParams(root) {
  const scripts = fc.constantFrom(
    ...[
      '1 + 1',
      'a',
      '[a, b]',
      'ask(1)',
      'ask(a)',
      'try { ask(a) } catch (e) { e.message }',
      'await ask({ a: [1, , NaN] })',
    ],
    ...[
      'read_file("a.txt")',
      'list_files()',
      'file_stats("a.txt")',
      'read_file(a)',
      'read_file("a.txt", a)',
      'throw a',
    ],
    ...[
      'throw new Error("x")',
      'console.log(a); 1',
      '(((',
      'class A {}',
      '"\u6f22".repeat(100000)',
      'undefined',
      'ask',
    ],
    ...[
      'JSON.stringify(a)',
      'Object.keys(a)',
      'ask("x".repeat(100000)).length',
      'for (let i = 0; i < 3000; i++) console.log(i)',
    ],
  );
  const named = fc.record({ a: wireJson, b: wireJson });
  const inputs = fc.oneof(
    { weight: 3, arbitrary: named.map((json) => ({ json })) },
    { weight: 3, arbitrary: fc.record({ a: almostTagged, b: almostTagged }).map((tagged) => ({ tagged })) },
    { weight: 1, arbitrary: wireValue },
  );
  return almost({
    runId: fc.constantFrom('1', 'x'),
    script: fc.oneof({ weight: 9, arbitrary: scripts }, fc.string({ unit: 'binary' })),
    inputs,
    scope: almost({
      root: fc.constant(root),
      attachments: fc.constant([]),
      deny: fc.array(fc.string({ maxLength: 5 }), { maxLength: 2 }),
      builtins: fc.constantFrom(['read_file', 'list_files', 'file_stats'], ['read_file', 'read_file'], []),
      maxReadBytes: fc.constantFrom(1, 1000),
      maxTotalReadBytes: fc.constantFrom(1, 1000),
    }),
    limits: almost({
      timeoutMs: fc.constantFrom(1, 500),
      heapBytes: fc.constantFrom(1, 1_000_000, 64 * 1024 * 1024),
      instructions: fc.constantFrom(1, 100_000, 10_000_000),
      allocations: fc.constantFrom(1, 10_000),
      callDepth: fc.constantFrom(1, 512),
      outstandingHostCalls: fc.constantFrom(1, 128),
      hostCalls: fc.constantFrom(1, 100_000),
      outputBytes: fc.constantFrom(1, 1_000_000),
    }),
    hostFunctions: fc.oneof(
      { weight: 9, arbitrary: fc.constant(['ask']) },
      fc.array(fc.string({ maxLength: 4 }), { maxLength: 3 }),
    ),
  });
}

const wireJson = fc.oneof(fc.jsonValue(), deep, fc.constantFrom('a.txt', '.env', { start: 1 }, { length: -1 }));

/** A message of a client; ids are given to it later. `protocolVersion` is the daemon's. */
export function clientMessage({ root, protocolVersion, pid }) {
  const request = (method, params) => ({
    weight: 6,
    arbitrary: fc.record({ id: fc.constant('$id'), method: fc.constant(method), params }),
  });
  const initialize = almost({
    protocolVersion: fc.constant(protocolVersion),
    client: almost({ name: fc.constant('fuzz\u001b[31m'), version: fc.constant('1') }),
    logLevel: fc.constantFrom('silent', 'debug'),
    hostPid: fc.constant(pid),
    maxResidentBytes: fc.constant(2 ** 30),
  });
  const refused = fc.oneof(
    { ...request('sandbox/run', runParams(root)), weight: 30 },
    request(
      'sandbox/validate',
      almost({ script: fc.oneof(fc.constantFrom('1', '(((', 'class A {}'), fc.string({ unit: 'binary' })) }),
    ),
    request('initialize', initialize),
    request('ping', almost({})),
    { weight: 2, arbitrary: fc.record({ id: fc.constant('$id'), method: fc.string(), params: almost({}) }) },
    { weight: 1, arbitrary: fc.record({ id: fc.constant('$id'), method: fc.constant('sandbox/callHostFunction') }) },
    {
      weight: 2,
      arbitrary: fc.record({
        method: fc.constant('$/cancelRequest'),
        params: fc.record({ id: fc.constantFrom('$last', 'x', 1) }),
      }),
    },
  );
  const violations = fc.oneof(
    fc.record({ method: fc.constantFrom('exit', 'sandbox/console', '$/progress', ''), params: almost({}) }),
    fc.record({ method: fc.constant('$/cancelRequest'), params: almost({ id: fc.constant('$last') }) }),
    fc.record({ id: fc.constantFrom('$id', '$last', 0, 1, '', null), result: nasty }),
    fc.record({ id: fc.constant('$id'), method: fc.constant('shutdown') }),
    fc.record({ id: fc.constant('$id'), method: fc.constant('ping'), params: fc.constant({ a: veryDeep }) }),
    almost({
      jsonrpc: fc.constant('2.0'),
      id: fc.constant('$id'),
      method: fc.constant('ping'),
      params: fc.constant({}),
    }),
    brokenBytes,
  );
  return { refused, violations };
}

const veryDeep = Array.from({ length: 1000 }).reduce((inner) => [inner], 1);

const hostError = fc.record(
  { name: fc.string(), message: fc.string({ unit: 'binary' }), code: fc.constantFrom('X', 'capability_denied', '') },
  { requiredKeys: ['name', 'message'] },
);
const plainError = fc.record({ code: fc.constantFrom(1007, -32601, 0), message: fc.string() });

/** What a client answers when a script calls a host function. */
export const hostAnswer = {
  taken: fc.oneof(
    fc.jsonValue().map((json) => ({ result: { value: { json } } })),
    almostTagged.map((tagged) => ({ result: { value: { tagged } } })),
    hostError.map((error) => ({ result: { error } })),
    plainError.map((error) => ({ error })),
  ),
  violations: fc.oneof(
    fc.record({ result: almost({ value: wireValue }) }),
    nasty.map((result) => ({ result })),
    fc.record({ result: fc.record({ error: almost({ name: fc.string(), message: fc.string() }) }) }),
    fc.record({
      error: almost({
        code: fc.constantFrom(1007, 1003),
        message: fc.string(),
        data: almost({ code: fc.constant('capability_denied'), details: almost({}) }),
      }),
    }),
  ),
};

const statistics = {
  executionMs: fc.constantFrom(0, 1.5),
  instructionsUsed: count,
  heapBytesUsed: count,
  hostCalls: count,
  bytesRead: count,
  residentBytes: count,
};
const location = almost({
  line: count,
  column: count,
  endLine: count,
  endColumn: count,
  precision: fc.constantFrom('statement', 'function'),
});
const details = almost({
  limit: fc.string(),
  value: count,
  location,
  frame: fc.string(),
  name: fc.string(),
  problems: fc.array(fc.string()),
});
const codes = [
  ['script_error', 1003],
  ['timeout', 1005],
  ['capability_denied', 1007],
  ['quarantined', 1103],
  ['timeout', 1003],
];

const runAnswer = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      id: maybe(fc.constant('$id')),
      result: almost({
        value: fc.oneof(
          wireValue,
          sandboxValue.map((v) => ({ json: v ?? null })),
        ),
        ...statistics,
      }),
    }),
  },
  {
    weight: 3,
    arbitrary: fc
      .tuple(fc.constantFrom(...codes), maybe(fc.string({ unit: 'binary' })), maybe(details))
      .map(([[code, number], message, more]) => ({
        id: '$id',
        error: { code: number, message, data: { code, details: more } },
      })),
  },
  { weight: 1, arbitrary: almost({ id: fc.constant('$id'), result: nasty, error: nasty }) },
);

const runId = fc.oneof({ weight: 9, arbitrary: fc.constant('$runId') }, fc.constantFrom('0', ''));
const numbered = (words) =>
  words.map((word, index) => (word.id === undefined ? word : { ...word, id: `call ${index}` }));
const notice = (params) => fc.record({ method: fc.constant('sandbox/console'), params });
const call = (params) => fc.record({ id: fc.constant(''), method: fc.constant('sandbox/callHostFunction'), params });
const text = fc.string({ unit: 'binary' });
const encoded = sandboxValue.map((value) => encodeValue(value, 'value'));

/** What a sidecar says during a run that is in order, though no script may have asked for it. */
const rightWords = fc
  .tuple(
    fc.array(
      fc.oneof(
        notice(fc.record({ runId: fc.constant('$runId'), level: fc.constantFrom('log', 'warn', 'error'), text })),
        call(
          fc.record({
            runId: fc.constant('$runId'),
            name: fc.constantFrom('ask', 'ask', 'hang', 'throws'),
            args: fc.array(sandboxValue, { maxLength: 3 }).map((args) => encodeValue(args, 'arguments')),
            executionMs: fc.constant(0.5),
          }),
        ),
      ),
      { maxLength: 4 },
    ),
    fc.oneof(
      {
        weight: 4,
        arbitrary: fc.record({ id: fc.constant('$id'), result: fc.record({ value: encoded, ...statistics }) }),
      },
      {
        weight: 1,
        arbitrary: fc
          .tuple(fc.constantFrom(['script_error', 1003], ['timeout', 1005], ['capability_denied', 1007]), text)
          .map(([[code, number], message]) => ({ id: '$id', error: { code: number, message, data: { code } } })),
      },
    ),
  )
  .map(([before, last]) => [...numbered(before), last]);

const wrongWords = fc
  .tuple(
    fc.array(
      fc.oneof(
        { weight: 4, arbitrary: notice(almost({ runId, level: fc.constantFrom('log', 'warn'), text })) },
        {
          weight: 4,
          arbitrary: call(
            almost({
              runId,
              name: fc.constantFrom('ask', 'hang', 'throws', 'toString', '__proto__'),
              args: wireValue,
              executionMs: fc.constantFrom(0, 0.5),
            }),
          ),
        },
        fc.record({ id: fc.nat({ max: 3 }), method: fc.constantFrom('ping', 'initialize', 'x'), params: almost({}) }),
        fc.record({ method: fc.constant('$/cancelRequest'), params: almost({ id: fc.nat({ max: 5 }) }) }),
        fc.record({ method: fc.constantFrom('exit', '$/logTrace', 'x'), params: nasty }),
        almost({ jsonrpc: fc.constant('2.0'), id: fc.constant('$id'), method: fc.constant('ping'), params: nasty }),
        runAnswer,
      ),
      { maxLength: 3 },
    ),
    runAnswer,
  )
  .map(([before, last]) => [...before, last]);

export const sidecarWords = { right: rightWords, wrong: wrongWords };

/** The answer to `initialize`. */
export const greeting = fc.record({
  id: maybe(fc.constant('$id')),
  result: almost({
    protocolVersion: fc.constantFrom(1, 2),
    server: almost({ name: fc.constant('x'), version: fc.constant('0') }),
    pid: count,
    engine: almost({ name: fc.constant('x'), available: fc.boolean(), reason: fc.string() }),
    limits: almost({ timeoutMs: count }),
    ceilings: almost({}),
  }),
});

const headers = fc.constantFrom(
  ...[
    'Content-Length: $n\r\n\r\n',
    'content-length:$n\r\n\r\n',
    'Content-Length: $n\r\nContent-Type: x; charset=utf-8\r\n\r\n',
  ],
  ...[
    'Content-Length: $n\r\nContent-Length: $n\r\n\r\n',
    'Content-Length: -1\r\n\r\n',
    'Content-Length: 99999999999\r\n\r\n',
  ],
  ...[
    'Content-Length: 0\r\n\r\n',
    'Content-Length: $n\n\n',
    'Content-Type: x\r\n\r\n',
    '\r\n\r\n',
    'Content-Length: 1\r\n\r\n',
    'X: $n\r\n\r\n',
  ],
);

/** Bytes in place of a frame: a header of another kind, a body that was tampered with, a frame cut off, noise. */
export const brokenBytes = fc.oneof(
  fc.tuple(headers, fc.jsonValue()).map(([header, body]) => framed(header, JSON.stringify(body))),
  fc
    .tuple(
      fc.record({ jsonrpc: fc.constant('2.0'), id: fc.constant(1), method: fc.constant('ping') }),
      fc.nat({ max: 60 }),
      fc.string({ unit: 'binary', maxLength: 4 }),
    )
    .map(([message, at, text]) => {
      const body = JSON.stringify(message);
      return framed('Content-Length: $n\r\n\r\n', body.slice(0, at) + text + body.slice(at + 1));
    }),
  fc
    .nat({ max: 60 })
    .map((length) =>
      framed('Content-Length: $n\r\n\r\n', '{"jsonrpc":"2.0","id":1,"method":"ping"}').subarray(0, length),
    ),
  fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.concat([framed('Content-Length: $n\r\n\r\n', ''), bytes])),
  fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes)),
);

function framed(header, body) {
  return Buffer.concat([Buffer.from(header.replaceAll('$n', String(Buffer.byteLength(body)))), Buffer.from(body)]);
}

/** One frame. @param {object} message */
export function frameOf(message) {
  return framed('Content-Length: $n\r\n\r\n', JSON.stringify({ jsonrpc: '2.0', ...message }));
}
