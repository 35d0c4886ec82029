import { argumentsOf, codeAt, coverageOf } from '@mustard-sandbox/code-mode';
import { formatBytes } from '@mustard-sandbox/agent-tool';
import { oneLine, printable, printableJson } from '@mustard-sandbox/protocol/text';
import type { AuditRecord, Run, RunCall } from '@mustard-sandbox/runs';
import { styled, writeLine } from '../../output.ts';
import { alignColumns } from '../../table.ts';
import type { GatewayFolder } from '../../gateway/folder.ts';
import type { Found } from './find.ts';

const waits: Record<RunCall['state'], string> = {
  approval: 'waits for your approval',
  proposed: 'is made when you approve the proposal',
  unknown: 'was under way when the server ended: was it done?',
  external: 'waits for an answer',
  ready: 'is made next',
  under_way: 'is under way',
  answered: 'was answered',
};

export function printList(found: readonly Found[], { all, quiet }: { all: boolean; quiet: boolean }): void {
  const rows = found.map(({ folder, run }) => [
    run.id,
    run.state,
    run.calls.map(({ id, tool }) => `${id} ${oneLine(tool)}`).join(', ') || '-',
    agoOf(run.updatedAt),
    oneLine(folder.servers),
  ]);
  const names = ['run', 'state', 'calls', 'changed', 'servers'];
  if (rows.length > 0) writeLine(process.stdout, alignColumns([names, ...rows], [0, 1, 2, 3, 4]));
  else writeLine(process.stdout, all ? 'There are no runs.' : 'No run waits.');
  if (!quiet && rows.length > 0) tell('mustard-sandbox runs show RUN shows what one of them waits for');
}

/** What a run has done and what it waits for. Everything that will be sent is shown completely. */
export function printRun({
  folder,
  run,
  script,
  audit,
}: {
  folder: GatewayFolder;
  run: Run;
  script: string;
  audit: readonly AuditRecord[];
}): void {
  const { id, calls, problem, value } = run;
  const done = audit.filter((record) => !calls.some((call) => call.id === record.id));
  const parts = [
    `${styled(process.stdout, 'bold', id)}  ${run.state}, begun ${agoOf(run.createdAt)}, by ${oneLine(folder.servers)}`,
    ...(done.length === 0 ? [] : [`Calls so far:\n${done.map(doneLine).join('\n')}`]),
    ...calls.map((call) => callPart(call, script)),
    ...(problem === undefined ? [] : [`${problem.code}: ${printable(problem.message)}`]),
    ...(run.state === 'completed' ? [`Value: ${printableJson(JSON.stringify(value, null, 2) ?? 'undefined')}`] : []),
  ];
  writeLine(process.stdout, parts.join('\n\n'));
  for (const line of nextSteps(run)) tell(line);
}

function callPart(call: RunCall, script: string): string {
  const { id, tool, state, line, rule } = call;
  return [
    `${styled(process.stdout, 'bold', `call ${id}  ${oneLine(tool)}`)}  ${waits[state]}`,
    indented(argumentsOf(call)),
    ...(line === undefined ? [] : [`  at line ${line}:`, indented(codeAt(script, line))]),
    ...(rule === undefined ? [] : [`  --for-run and --always allow ${coverageOf(rule)}`]),
  ].join('\n');
}

function doneLine({ id, tool, failed, answerBytes, madeAt, answeredAt, ruling, by, remembered }: AuditRecord): string {
  const took =
    madeAt === undefined || answeredAt === undefined ? undefined : `${answeredAt.getTime() - madeAt.getTime()} ms`;
  const facts = [
    failed === true ? 'failed' : 'done',
    took,
    answerBytes === undefined ? undefined : formatBytes(answerBytes),
    ruling === undefined ? undefined : by === undefined ? ruling : `${ruling} by ${oneLine(by)}`,
    remembered === undefined ? undefined : `remembered: ${remembered}`,
  ];
  return `  ${id}  ${oneLine(tool)}  ${facts.filter((fact) => fact !== undefined).join(' · ')}`;
}

/** The state of a run after a decision or `cancel`. */
export function printDecided(run: Run, decided: readonly RunCall[]): void {
  for (const { id, tool } of decided) writeLine(process.stdout, `decided on call ${id}, ${oneLine(tool)}`);
  writeLine(process.stdout, `${run.id}  ${run.state}`);
  if (run.state === 'running' && run.calls.every(({ state }) => state !== 'under_way')) {
    tell(`no server has gone on with it: mustard-sandbox runs resume ${run.id}`);
  }
  for (const line of nextSteps(run)) tell(line);
}

function nextSteps({ id, state, calls, waitsFor }: Run): string[] {
  if (state !== 'waiting') return [];
  const of = (wanted: RunCall['state']): string =>
    calls.flatMap((call) => (call.state === wanted ? [String(call.id)] : [])).join(' ');
  return [
    ...(waitsFor.includes('approvals')
      ? [
          `to allow it: mustard-sandbox runs approve ${id} ${of('approval')}`,
          `to forbid it: mustard-sandbox runs deny ${id} ${of('approval')}`,
        ]
      : []),
    ...(waitsFor.includes('proposal')
      ? [
          `to have all of them made, in this order: mustard-sandbox runs approve ${id}`,
          `to have none of them made: mustard-sandbox runs deny ${id}`,
        ]
      : []),
    ...(waitsFor.includes('outcomes')
      ? [`to say what became of it: mustard-sandbox runs answer ${id} ${of('unknown')} --outcome not-done`]
      : []),
    ...(waitsFor.includes('restart')
      ? [`to run it again with its answers: mustard-sandbox runs resume ${id} --restart`]
      : []),
  ];
}

function tell(line: string): void {
  writeLine(process.stderr, styled(process.stderr, 'dim', line));
}

function indented(text: string): string {
  return text.replaceAll(/^/gm, '  ');
}

/** `3 min ago`. */
function agoOf(time: Date): string {
  const seconds = Math.max(0, Math.round((Date.now() - time.getTime()) / 1_000));
  const [count, unit] =
    seconds < 60
      ? [seconds, 's']
      : seconds < 3_600
        ? [Math.floor(seconds / 60), 'min']
        : seconds < 86_400
          ? [Math.floor(seconds / 3_600), 'h']
          : [Math.floor(seconds / 86_400), 'd'];
  return `${count} ${unit} ago`;
}
