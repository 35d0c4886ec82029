import { useState, type ReactElement } from 'react';
import { ScriptCard, type CallDecision, type Run, type ScriptCall } from '../../src/index.ts';
import { hostileText } from './samples.ts';

const script = `// Files an issue for each error that has none yet.
const { groups } = await logs.errors({ since: '2026-03-01' });
for (const { code, count } of groups) {
  const { issues } = await github.search_issues({ repo: 'shop/web', query: code });
  if (issues.length > 0) continue;
  await github.create_issue({
    repo: 'shop/web',
    title: \`\${code}: \${count} times since Sunday\`,
    labels: ['bug'],
  });
}
groups.length`;

const waiting: Run = { runId: 'calls-waiting', status: 'waiting', begun: true, script, at: '2026-03-02T10:15:00.000Z' };
const running: Run = { ...waiting, runId: 'calls-running', status: 'running' };
const ended: Run = {
  version: 1,
  script,
  at: waiting.at,
  attachmentsRead: [],
  stats: { durationMs: 4_812, hostCalls: 3 },
  result: { text: '5', truncated: false, totalBytes: 1, shownBytes: 1, empty: false },
};

const errors: ScriptCall = {
  id: 1,
  tool: 'logs.errors',
  args: [{ since: '2026-03-01' }],
  line: 2,
  state: 'answered',
  durationMs: 812,
  answerBytes: 4_210,
  ruling: 'allowed',
  by: 'rule 1',
  answer: { groups: [{ code: 'E4004', count: 41_213 }] },
};
const search: ScriptCall = {
  id: 2,
  tool: 'github.search_issues',
  args: [{ repo: 'shop/web', query: 'E4004' }],
  line: 4,
  state: 'answered',
  durationMs: 1_204,
  answerBytes: 31,
  ruling: 'allowed',
  answer: { issues: [] },
};
const create: ScriptCall = {
  id: 3,
  tool: 'github.create_issue',
  args: [{ repo: 'shop/web', title: 'E4004: 41213 times since Sunday', labels: ['bug'] }],
  line: 6,
  state: 'approval',
  rule: { tool: 'github.create_issue', where: { repo: 'shop/web' } },
};
const approved: ScriptCall = {
  ...create,
  state: 'answered',
  durationMs: 902,
  answerBytes: 88,
  ruling: 'approved',
  by: 'ann@example.com',
};

/** A run with calls in each of its states. */
const samples: Record<string, { run: Run; calls: ScriptCall[] }> = {
  'a call waits': { run: waiting, calls: [errors, search, create] },
  'two calls wait': {
    run: waiting,
    calls: [errors, create, { ...create, id: 4, args: [{ repo: 'shop/api', title: 'E1001' }] }],
  },
  'an outcome is not known': { run: waiting, calls: [errors, { ...create, state: 'unknown' }] },
  'a call runs': { run: running, calls: [errors, { ...search, state: 'under_way' }] },
  'an answer from outside': { run: running, calls: [errors, { ...search, tool: 'ask_person', state: 'external' }] },
  'all calls are done': {
    run: ended,
    calls: [errors, { ...search, failed: true }, approved, { ...approved, id: 4, ruling: 'denied' }],
  },
  'hostile calls': {
    run: { ...waiting, script: hostileText },
    calls: [
      {
        ...create,
        id: 1,
        tool: 'tools.\u202Epay',
        args: [{ text: hostileText }],
        line: 2,
        rule: { tool: 'x', input: {} },
      },
    ],
  },
  'many calls': {
    run: waiting,
    calls: [...Array.from({ length: 1_000 }, (_, index) => ({ ...search, id: index + 1 })), { ...create, id: 1_001 }],
  },
};

export function Calls(): ReactElement {
  const [said, setSaid] = useState('');
  const [decided, setDecided] = useState<ReadonlyMap<string, CallDecision>>(new Map());
  return (
    <section id="calls" aria-labelledby="calls-title">
      <h2 id="calls-title">Calls of tools</h2>
      {Object.entries(samples).map(([name, { run, calls }]) => (
        <div key={name} className="sample" data-sample={name}>
          <p className="sample-name">{name}</p>
          <ScriptCard
            run={run}
            calls={calls.map((call) => afterwards(call, decided.get(`${name} ${call.id}`)))}
            onDecide={(call, decision) => {
              setSaid(`${name}: ${decision} ${call}`);
              setDecided((before) => new Map(before).set(`${name} ${call}`, decision));
            }}
            onFork={(call, answer) => setSaid(`${name}: fork ${call} ${JSON.stringify(answer)}`)}
          />
        </div>
      ))}
      <output className="asked">{said}</output>
    </section>
  );
}

function afterwards(call: ScriptCall, decision: CallDecision | undefined): ScriptCall {
  if (decision === undefined) return call;
  const isNo = decision === 'deny' || decision === 'not-done';
  return { ...call, state: 'answered', durationMs: 902, ruling: isNo ? 'denied' : 'approved', by: 'you' };
}
