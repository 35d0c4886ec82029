// A chat for each state of a message, and some that are too much.
import type {
  Chat,
  Message,
  Part,
  QueuedMessage,
} from '../../../../packages/desktop-agent/src/shared/contract/index.ts';
import { attached } from './attached.ts';
import { chat, commandRun, message, proposal, record } from './data.ts';

const answer = `Most of the errors are **E4004**, and they begin at 03:12.

| code | count | first seen |
| --- | ---: | --- |
| E4004 | 41,213 | 03:12 |
| E1001 | 29,004 | 00:01 |

1. The pool of connections runs dry.
2. Requests wait, see [the runbook](https://example.org/runbook).

\`\`\`ts
const pool = createPool({ max: 10 });
\`\`\`

Raise \`max\`, or find what holds them.`;

const hostile = [
  '<script>globalThis.pwned = true</script><img src=x onerror="globalThis.pwned = true">',
  '[press me](javascript:globalThis.pwned=true) ![x](https://evil.example/pixel.png) <a href="javascript:1">raw</a>',
  'entity &#x202e;fdp.exe `&#x202e;` x&#x3164;',
  'bidi \u202Egnp.exe\u202C ansi \u001B[31mred\u001B[0m',
  '<agent-write path="src/<b>x</b>.ts" description="x">\n<script>globalThis.pwned = true</script>\n</agent-write>',
].join('\n\n');

const tag = (callId: string, name: string, title: string, detail = ''): Part => ({
  type: 'tool',
  callId,
  name,
  title,
  state: 'done',
  detail,
});

const building: Part[] = [
  { type: 'text', text: 'I will count each item.' },
  tag('t1', 'write', 'Write src/orders/total.ts', 'Counts each item · 8 lines'),
  tag('t2', 'write', 'Write src/orders/discount.ts', '3 lines'),
  tag('t3', 'rename', 'Rename logo.png to public/logo.png'),
  tag('t4', 'delete', 'Delete src/orders/legacy-total.ts'),
  tag('t5', 'dependencies', 'Add zod'),
  { type: 'text', text: 'Then the total is right.' },
];

const log = [
  { name: 'server.log', bytes: 83_886_080, mediaType: 'text/plain', path: '/home/mira/shop/.agent/server.log' },
];

const script = (): Message[] => [
  message('user', 'Which errors are in this log, and when did they begin?', { attachments: log }),
  message('assistant', [
    { type: 'reasoning', text: 'The log is large. I count by code first. <b>not bold</b>' },
    { type: 'tool', callId: 'c1', name: 'search', title: 'Searched for “ERROR”', state: 'done', detail: '' },
    { type: 'script', runId: 'run-1', record },
    { type: 'bash', runId: 'run-2', run: commandRun },
    { type: 'text', text: answer },
  ]),
];

const pictures = (): Message[] => [
  message('user', 'What is wrong on these?', {
    attachments: Object.entries(attached).map(([name, { length }]) => ({
      name,
      bytes: length,
      mediaType: 'image/png',
      path: `/home/mira/shop/.agent/${name}`,
    })),
  }),
  message('assistant', 'The second one is no picture that can be shown.'),
];

const ends = (): Message[] => [
  message('user', 'One'),
  message('assistant', 'It was going to say', { state: 'cancelled' }),
  message('user', 'Two'),
  message('assistant', 'It was going to', { state: 'interrupted' }),
  message('user', 'Three'),
  message('assistant', [], {
    state: 'failed',
    error: 'The model answered 429: too many requests. Wait a minute, or choose another model.',
  }),
];

const proposals = (): Message[] => [
  message('user', 'The total of an order is wrong. Count each item.', { id: 'edited' }),
  message('assistant', building, { proposal: proposal() }),
];

const tools = (): Message[] => [
  message('user', 'Close the issues that nobody answers.'),
  message('assistant', [
    { type: 'text', text: 'I look for them, and ask you before each is closed.' },
    { type: 'tools', runId: 'tools-2' },
    { type: 'tools', runId: 'tools-1' },
    { type: 'tools', runId: 'tools-4' },
  ]),
];

const steps = [
  { text: 'Count each item in src/orders/total.ts, also where an order has the same item twice' },
  { text: 'Move the discount into src/orders/discount.ts' },
  { text: 'Delete src/orders/legacy-total.ts, which nothing calls any more' },
  { text: 'Test orders of no items, of one, and of many' },
];

const toApprove = (): Message[] => [
  message('user', 'The total of an order is wrong. Plan how to put it right.'),
  message(
    'assistant',
    [
      { type: 'tool', callId: 'p1', name: 'read_file', title: 'Read src/orders/total.ts', state: 'done', detail: '' },
      { type: 'text', text: 'The sum takes each item once, whatever its quantity.' },
      { type: 'tool', callId: 'p2', name: 'plan', title: 'Write a plan', state: 'done', detail: '4 lines' },
    ],
    { id: 'planned', workPlan: { state: 'pending', steps, more: 0, revision: 0 } },
  ),
];

const followed = (): Message[] => [
  ...toApprove().slice(0, 1),
  message('assistant', 'The sum takes each item once, whatever its quantity.', {
    id: 'planned',
    workPlan: { state: 'approved', steps, more: 0, revision: 1 },
  }),
  message('user', 'Follow the plan.'),
  message('assistant', [
    { type: 'text', text: 'The total first.' },
    { type: 'step', plan: 'planned', step: 0, text: steps[0]!.text },
  ]),
  message('user', 'Go on with the plan.'),
  message('assistant', [...building, { type: 'step', plan: 'planned', step: 1, text: steps[1]!.text }], {
    proposal: proposal(),
  }),
];

const many = (): Message[] =>
  Array.from({ length: 1_000 }, (_, index) =>
    index % 2 === 0 ? message('user', `Question ${index}`) : message('assistant', `${answer}\n\nAnswer ${index}.`),
  );

const extreme = (): Message[] => [
  message('user', 'x'.repeat(100_000)),
  message('user', 'עברית: כמה שורות יש ב־server.log?'),
  message('assistant', 'יש 80,412 שורות בקובץ `server.log`.\n\n- אחת\n- שתיים'),
  message('assistant', `line\n\n${'y'.repeat(100_000)}`),
];

/** What waits in the chat that is under way. */
export const queue: QueuedMessage[] = [
  { id: 'q-1', text: 'Then raise the size of the pool', uploads: [] },
  {
    id: 'q-2',
    text: `And ${'compare it with last week, '.repeat(20)}`,
    uploads: [{ id: 'u-1', name: 'last-week.log', bytes: 1_000, mediaType: 'text/plain' }],
  },
];

/** By the id of the chat; each is made when it is asked for. */
export const chats: Record<string, { chat: Chat; messages: () => Message[] }> = {
  'chat-1': { chat: chat('chat-1', 'Errors of Monday'), messages: script },
  build: { chat: chat('build', 'The total of an order', { mode: 'build' }), messages: proposals },
  plan: { chat: chat('plan', 'Put the total right', { mode: 'plan' }), messages: toApprove },
  followed: { chat: chat('followed', 'Put the total right', { mode: 'build' }), messages: followed },
  continued: {
    chat: chat('continued', 'The total of an order (2)', {
      mode: 'build',
      continuedFrom: {
        chatId: 'build',
        messageId: 'edited',
        title: 'The total of an order',
        files: 'back',
        to: 'c'.repeat(40),
      },
    }),
    messages: proposals,
  },
  tools: { chat: chat('tools', 'Close old issues'), messages: tools },
  ends: { chat: chat('ends', 'How answers end'), messages: ends },
  hostile: {
    chat: chat('hostile', '\u202Etxt.<b>hostile</b>'),
    messages: () => [message('assistant', hostile), message('user', hostile)],
  },
  many: { chat: chat('many', 'A thousand messages'), messages: many },
  extreme: { chat: chat('extreme', 'A title without an end '.repeat(13)), messages: extreme },
  streaming: {
    chat: chat('streaming', 'Under way', { streaming: true }),
    messages: () => [
      message('user', 'Go on'),
      message('assistant', [], { id: 'answer', chatId: 'streaming', state: 'streaming' }),
    ],
  },
  pictures: { chat: chat('pictures', 'Pictures of the shop'), messages: pictures },
  empty: { chat: chat('empty', 'New chat'), messages: () => [] },
};
