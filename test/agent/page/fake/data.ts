// What the fake server has. Fixed, so that two pictures differ only where the page does.
import type {
  App,
  Chat,
  FileDiff,
  Message,
  Model,
  ModelServer,
  Part,
  Preview,
  Proposal,
  Settings,
  Usage,
  Version,
} from '../../../../packages/desktop-agent/src/shared/contract/index.ts';

const at = '2026-03-02T10:15:00.000Z';
const commit = (digit: string): string => digit.repeat(40);

export const app: App = {
  id: 'app-1',
  name: 'shop',
  path: '/home/mira/shop',
  git: true,
  repository: null,
  copyOf: null,
  context: { include: ['src/**/*.ts'], exclude: ['**/*.test.ts'], strict: false },
  createdAt: at,
  updatedAt: at,
};

export const chat = (id: string, title: string, more: Partial<Chat> = {}): Chat => ({
  id,
  appId: 'app-1',
  title,
  mode: 'agent',
  model: null,
  initialCommit: commit('1'),
  continuedFrom: null,
  streaming: false,
  createdAt: at,
  updatedAt: at,
  ...more,
});

export const settings: Settings = {
  model: 'openai-compatible:http://127.0.0.1:11434/v1:qwen3',
  autoApprove: false,
  autoFix: true,
  largeRequest: 150_000,
  scripts: { enabled: true, consent: 'ask', timeoutMs: 2_000, engine: 'auto' },
  sizePolicy: 'ask',
  sizeThreshold: 512 * 1024,
  bash: true,
  network: { registries: true, domains: ['api.example.org'] },
  theme: 'system',
  dismissed: [],
};

export const modelServers: ModelServer[] = [
  {
    id: 'office',
    name: 'Office',
    url: 'https://models.example.org/v1',
    models: ['deepseek-v3'],
    key: 'keychain',
    headers: ['x-team'],
  },
];

const unset = { contextWindow: null, price: null, options: null };
export const models: Model[] = [
  {
    ...unset,
    id: 'openai-compatible:http://127.0.0.1:11434/v1:qwen3',
    label: 'qwen3',
    provider: 'Ollama on this machine',
    contextWindow: 32_000,
  },
  {
    ...unset,
    id: 'anthropic:claude-sonnet-4-5',
    label: 'Claude Sonnet 4.5',
    provider: 'Anthropic',
    contextWindow: 200_000,
    price: { input: 3, output: 15, cached: 0.3 },
  },
  { ...unset, id: 'tour', label: 'Tour', provider: 'Scripted, no model' },
];

const usage: Usage = {
  model: 'anthropic:claude-sonnet-4-5',
  requests: 2,
  untold: 0,
  input: 21_480,
  cached: 12_000,
  output: 812,
  cost: 0.0442,
  context: 11_420,
};

let count = 0;
export function message(role: Message['role'], parts: Part[] | string, more: Partial<Message> = {}): Message {
  count += 1;
  return {
    id: `message-${count}`,
    chatId: 'chat-1',
    role,
    parts: typeof parts === 'string' ? [{ type: 'text', text: parts }] : parts,
    attachments: [],
    state: 'complete',
    error: null,
    proposal: null,
    workPlan: null,
    commit: null,
    usage: role === 'assistant' ? usage : null,
    createdAt: at,
    ...more,
  };
}

export const files: FileDiff[] = [
  {
    path: 'src/orders/total.ts',
    change: 'changed',
    added: 4,
    removed: 2,
    hunks: [
      {
        oldStart: 12,
        newStart: 12,
        lines: [
          { kind: 'context', text: 'export function totalOf(order: Order): number {' },
          { kind: 'removed', text: '  const sum = order.items.reduce((sum, item) => sum + item.price, 0);' },
          { kind: 'removed', text: '  return sum;' },
          { kind: 'added', text: '  // Prices are cents: a sum of fractions would lose some.' },
          {
            kind: 'added',
            text: '  const sum = order.items.reduce((sum, { price, count }) => sum + price * count, 0);',
          },
          { kind: 'added', text: '  const discount = discountOf(order.code, sum);' },
          { kind: 'added', text: '  return Math.max(0, sum - discount);' },
          { kind: 'context', text: '}' },
        ],
      },
    ],
  },
  {
    path: 'src/orders/discount.ts',
    change: 'added',
    added: 3,
    removed: 0,
    hunks: [
      {
        oldStart: 0,
        newStart: 1,
        lines: [
          { kind: 'added', text: 'export function discountOf(code: string | undefined, sum: number): number {' },
          { kind: 'added', text: "  return code === 'SPRING' ? Math.round(sum / 10) : 0;" },
          { kind: 'added', text: '}' },
        ],
      },
    ],
  },
  { path: 'src/orders/legacy-total.ts', change: 'deleted', added: 0, removed: 210, hunks: [], hidden: 'large' },
  { path: 'public/logo.png', from: 'logo.png', change: 'renamed', added: 0, removed: 0, hunks: [], hidden: 'binary' },
];

export const proposal = (more: Partial<Proposal> = {}): Proposal => ({
  state: 'pending',
  summary: 'Count each item, and take discounts off the total',
  files,
  dependencies: ['zod'],
  commands: ['restart'],
  problems: [
    { path: 'src/orders/total.ts', line: 15, column: 33, code: 'TS2304', message: "Cannot find name 'discountOf'." },
  ],
  ...more,
});

export const versions: Version[] = Array.from({ length: 40 }, (_, index) => ({
  commit: (index + 10).toString(16).padStart(2, '0').repeat(20),
  message: index % 3 === 0 ? '[agent] Count each item - wrote 2 file(s)' : `Tidy the orders, part ${index}`,
  author: 'Mira',
  at,
  messageId: index % 3 === 0 ? 'message-1' : null,
}));

export const preview = (more: Partial<Preview> = {}): Preview => ({
  appId: 'app-1',
  state: 'off',
  command: null,
  ports: [],
  port: null,
  origin: 'http://app-1.localhost:0',
  exit: null,
  errors: [],
  ...more,
});

export const running = preview({
  state: 'running',
  command: 'vite',
  ports: [5173, 24678],
  port: 5173,
  errors: [
    {
      id: 1,
      count: 3,
      text: "Error: Failed to resolve import './missing' from 'src/orders/total.ts'\n    at src/orders/total.ts:2:24",
    },
    { id: 2, count: 1, text: `TypeError: ${'a very long message of an app '.repeat(30)}` },
  ],
});

const script = `const counts = {};
for (const line of read_file('attachments:server.log').split('\\n')) {
  const [, level, code] = line.split(' ');
  if (level === 'ERROR') counts[code] = (counts[code] ?? 0) + 1;
}
Object.entries(counts).sort((a, b) => b[1] - a[1])`;

export const record = {
  version: 1,
  runId: 'run-1',
  script,
  description: 'Count the errors by code',
  at,
  isolation: 'jail',
  attachmentsRead: ['server.log'],
  stats: {
    durationMs: 812.4,
    executionMs: 790.1,
    instructionsUsed: 48_213_004,
    heapBytesUsed: 12_582_912,
    hostCalls: 81,
    bytesRead: 83_886_080,
  },
  result: {
    text: JSON.stringify([
      ['E4004', 41_213],
      ['E1001', 29_004],
      ['E7007', 12_950],
      ['E2002', 8_411],
    ]),
    truncated: false,
    totalBytes: 69,
    shownBytes: 69,
    empty: false,
  },
};

export const commandRun = {
  command: 'rg --count ERROR logs/',
  exitCode: 0,
  stdout: { text: 'logs/a.log:412\nlogs/b.log:77\n' },
  stderr: { text: '' },
  durationMs: 41,
};

export const scriptSettings = {
  enabled: {
    type: 'boolean',
    label: 'Scripts',
    description: 'Lets the model run small read-only scripts over attached files and the project.',
    default: true,
  },
  consent: {
    type: 'choice',
    label: 'Permission',
    description: 'Whether you are asked before a script runs.',
    default: 'ask',
    choices: [
      { value: 'ask', label: 'Ask each time' },
      { value: 'always', label: 'Always allow' },
      { value: 'never', label: 'Never allow' },
    ],
  },
  timeoutMs: {
    type: 'number',
    label: 'Time limit',
    description: 'How long one script may compute.',
    default: 2000,
    min: 100,
    max: 600_000,
    step: 100,
    unit: 'ms',
  },
  engine: {
    type: 'choice',
    label: 'Engine',
    description:
      'The engine that runs scripts. QuickJS runs JavaScript. MustardScript runs a part of it, and starts sooner.',
    default: 'auto',
    choices: [
      { value: 'auto', label: 'Automatic' },
      { value: 'quickjs', label: 'QuickJS' },
      { value: 'mustardscript', label: 'MustardScript' },
    ],
  },
};
