import type { ScriptRecord } from '@mustard-sandbox/agent-tool';
import type { CommandRun, LiveRun, Run } from '../../src/index.ts';

// Fixed, so that two pictures of the page differ only where the page does.
const at = '2026-03-02T10:15:00.000Z';

const script = `// Counts the error codes of a log, a megabyte at a time.
const counts = {};
const { size } = file_stats('attachments:server.log');
let rest = '';
for (let start = 0; start < size; start += 1048576) {
  const text = rest + read_file('attachments:server.log', { start, length: 1048576 });
  const end = start + 1048576 < size ? text.lastIndexOf('\\n') + 1 : text.length;
  for (const line of text.slice(0, end).split('\\n')) {
    const [, level, code] = line.split(' ');
    if (level === 'ERROR') counts[code] = (counts[code] ?? 0) + 1;
  }
  rest = text.slice(end);
}
Object.entries(counts).sort((a, b) => b[1] - a[1])`;

const common = {
  version: 1,
  script,
  at,
  isolation: 'jail',
  attachmentsRead: ['server.log'],
  stats: {
    durationMs: 812.4,
    executionMs: 790.1,
    instructionsUsed: 48_213_004,
    heapBytesUsed: 12_582_912,
    hostCalls: 81,
    bytesRead: 43_008,
  },
} as const satisfies Omit<ScriptRecord, 'result' | 'error' | 'denied'>;

export function result(text: string, extra: object = {}, more: object = {}): ScriptRecord {
  const bytes = new TextEncoder().encode(text).length;
  return {
    ...structuredClone(common),
    ...more,
    result: { text, truncated: false, totalBytes: bytes, shownBytes: bytes, empty: false, ...extra },
  };
}

type Failed = Extract<ScriptRecord, { error: unknown }>;

function failure(error: Omit<Failed['error'], 'text'>, more: Partial<Failed> = {}): ScriptRecord {
  return {
    ...structuredClone(common),
    stats: { durationMs: 31.2 },
    ...more,
    error: { text: 'What the model was told about it.', ...error },
  };
}

const codes = [
  ['E4004', 41_213],
  ['E1001', 29_004],
  ['E7007', 12_950],
  ['E2002', 8_411],
  ['E5005', 933],
];

const rows = Array.from({ length: 10_000 }, (_, index) => ({
  id: index + 1,
  path: `/api/v1/${['users', 'orders', 'invoices', 'sessions'][index % 4]}/${(index * 7919) % 10_007}`,
  ms: (index * 37) % 1_901,
  ok: index % 9 !== 0,
}));

const perHour = Array.from({ length: 72 }, (_, hour) => {
  const time = new Date(Date.UTC(2026, 2, 1, hour)).toISOString().slice(0, 13);
  return { time, errors: Math.round(40 + 30 * Math.sin(hour / 3) + (hour === 41 ? 160 : 0)) };
});

/** Some of each line of a log, and of one line 100,000 characters. */
function longText(bytes: number): string {
  const lines: string[] = [];
  for (let length = 0, index = 0; length < bytes; index++) {
    const line = `2026-03-02T10:${String(index % 60).padStart(2, '0')}:00Z ERROR E${1000 + (index % 7) * 1001} request ${index} took ${(index * 37) % 1901} ms`;
    lines.push(line);
    length += line.length + 1;
  }
  return lines.join('\n').slice(0, bytes);
}

export const hostileText = [
  '</script><script>globalThis.pwned = true</script><img src=x onerror="globalThis.pwned = true">',
  'bidi: \u202Egnp.exe\u202C  zero width: a\u200Bb  ansi: \u001B[31mred\u001B[0m  nul: \u0000  lone: \uD800',
  'x'.repeat(100_000),
  '${7*7} {{7*7}} <b>not bold</b> &amp; {size}',
].join('\n');

const hostileName = '\u202Etxt.<img src=x onerror=globalThis.pwned=true>\u200B.log';

const live = (status: LiveRun['status'], more: Partial<LiveRun> = {}): LiveRun => ({
  runId: `sample-${status}`,
  status,
  script,
  at,
  ...more,
});

/** A card in each of its states. */
export const states: Record<string, Run> = {
  waiting: live('waiting', { description: 'Count the error codes' }),
  running: live('running'),
  success: result(JSON.stringify(codes)),
  'success, described': result('80,412 lines', {}, { description: 'Count the lines of the log' }),
  error: failure(
    {
      code: 'script_error',
      message: "TypeError: cannot read property 'split' of undefined",
      location: { line: 9, column: 31, endLine: 9, endColumn: 45, precision: 'statement' },
    },
    { description: 'Count the error codes' },
  ),
  timeout: failure(
    {
      code: 'timeout',
      message: 'The script did not end within 2000 ms.',
      limit: { name: 'timeout_ms', value: 2_000, unit: 'ms' },
      location: { line: 1, column: 1, endLine: 14, endColumn: 47, precision: 'function' },
      spent: { calls: [{ name: 'read_file', calls: 81, ms: 212, bytes: 84_934_656 }], scriptMs: 1_788 },
    },
    { stats: { durationMs: 2_011 } },
  ),
  crashed: failure(
    { code: 'sidecar_crashed', message: 'The sidecar ran out of memory.', reason: 'out_of_memory' },
    { script: "'a'.repeat(500000000).length" },
  ),
  stopped: failure({ code: 'cancelled', message: 'The run was cancelled.' }, { stats: { durationMs: 4_120 } }),
  denied: {
    ...structuredClone(common),
    stats: { durationMs: 0 },
    attachmentsRead: [],
    denied: { by: 'user', text: 'Not allowed.' },
  },
  'denied by the settings': {
    ...structuredClone(common),
    stats: { durationMs: 0 },
    attachmentsRead: [],
    denied: { by: 'settings', text: 'Not allowed.' },
  },
  empty: result('The script ended without a value (undefined).', { empty: true, totalBytes: 0, shownBytes: 0 }),
  truncated: result(
    `${longText(6_000)}\n\n[… 960 KB of 1 MB left out here. All of it is in attachments:script-output-0123456789abcdef.txt …]\n\n${longText(900)}`,
    {
      truncated: true,
      totalBytes: 1_048_576,
      shownBytes: 65_024,
      fullOutput: 'attachments:script-output-0123456789abcdef.txt',
    },
  ),
};

/** The full output of a result that is longer than what is kept. */
const longResult = (totalBytes: number): ScriptRecord =>
  result(
    longText(6_000),
    { truncated: true, totalBytes, shownBytes: 65_024, fullOutput: 'attachments:script-output-fedcba.txt' },
    { description: 'All errors' },
  );

/** Outputs that are data. */
export const outputs: Record<string, Run> = {
  table: result(JSON.stringify(rows.slice(0, 400)), {}, { description: 'The slowest requests' }),
  bars: result(JSON.stringify(codes), {}, { description: 'Errors by code' }),
  line: result(JSON.stringify(perHour), {}, { description: 'Errors per hour' }),
  tree: result(
    JSON.stringify({
      log: { lines: 1_040_212, from: '2026-03-01', tags: ['a', 'b'] },
      worst: rows.slice(0, 2),
      none: null,
    }),
    {},
    { description: 'What is in the log' },
  ),
  text: result(longText(4_000), {}, { description: 'The first lines' }),
  rows: result(JSON.stringify(rows), {}, { description: '10,000 rows' }),
  'more than is kept': longResult(1_992_294),
  'hardly more than is kept': longResult(1_048_577),
};

/** What must not do any harm. */
export const extremes: Record<string, Run> = {
  hostile: result(hostileText, {}, { script: `// ${hostileText}`, attachmentsRead: [hostileName] }),
  'long name': result('1', {}, { description: 'A description without an end '.repeat(12) }),
  'right to left': result('42', {}, { description: 'עברית: כמה שורות יש ב־server.log?' }),
  'deep data': result(`${'['.repeat(400)}${']'.repeat(400)}`),
};

/** The full output of the card that is truncated. */
export const fullOutput = (): string => longText(1_048_576);

export const commands: Record<string, CommandRun> = {
  success: {
    command: 'rg --count ERROR logs/',
    exitCode: 0,
    stdout: { text: 'logs/a.log:412\nlogs/b.log:77\n' },
    stderr: { text: '' },
    durationMs: 41,
    reached: {
      hosts: [
        { host: 'registry.npmjs.org', port: 443, times: 12, refused: 0, sentBytes: 9_400, receivedBytes: 1_800_000 },
        {
          host: 'telemetry.example.com',
          port: 443,
          times: 2,
          refused: 2,
          sentBytes: 0,
          receivedBytes: 0,
          why: 'it is not on the list of domains',
        },
      ],
      more: 0,
    },
  },
  failure: {
    command: 'npm test -- --run test/parser.test.ts',
    exitCode: 1,
    stdout: { text: longText(6_000), leftOutBytes: 420_000, leftOutAt: 3_000 },
    stderr: { text: 'Error: expected 4 but got 5\n    at parser.test.ts:12:8\n' },
    durationMs: 4_212,
  },
  running: { command: 'make all', stdout: { text: 'cc -c main.c\n' }, stderr: { text: '' } },
  stopped: { command: 'sleep 900', stopped: true, stdout: { text: '' }, stderr: { text: '' } },
  killed: {
    command: 'sleep 600',
    signal: 'SIGKILL',
    stdout: { text: '' },
    stderr: { text: '' },
    durationMs: 120_000,
  },
};
