import { setTimeout as sleep } from 'node:timers/promises';
import type { CodeModeResult } from '@mustard-sandbox/code-mode';
import { printable } from '@mustard-sandbox/protocol/text';
import type { Decision, Run, Runs } from '@mustard-sandbox/runs';
import { exitCodes } from '../../exit-code.ts';
import { UsageError } from '../../failure.ts';
import { openGateway, openRuns } from '../../gateway/open.ts';
import { readServers } from '../../gateway/servers.ts';
import { writeLine } from '../../output.ts';
import type { Report } from '../../report.ts';
import { decisionsOf } from './decide.ts';
import type { Action, RunsFlags } from './flags.ts';
import { allRuns, findRun, type Found } from './find.ts';
import { printDecided, printList, printRun } from './report.ts';

interface Typed {
  action: Action;
  run: string | undefined;
  calls: readonly string[];
  flags: RunsFlags;
}

/** The actions for which an option may be used. */
const optionsOf: Partial<Record<keyof RunsFlags, Action[]>> = {
  all: ['list'],
  forRun: ['approve'],
  always: ['approve'],
  why: ['deny'],
  value: ['answer'],
  outcome: ['answer'],
  restart: ['resume'],
  by: ['approve', 'deny', 'answer'],
};

/** How long a server may take to continue a run before the command says that none did, in ms. */
const takenUpWithinMs = 1_500;
const everyMs = 50;

/** @throws {UsageError | RunError | CodeModeError | SandboxError} */
export async function runs(typed: Typed, signal: AbortSignal): Promise<Report> {
  check(typed);
  const { action, run: id, calls, flags } = typed;
  if (action === 'list') return await list(flags);
  const found = await findRun(id as string);
  if (action === 'show') return await show(found);
  if (action === 'cancel') return await cancel(found);
  if (action === 'resume') return await resume(found, flags, signal);
  return await decide(found, decisionsOf(action, found.run, calls, flags), signal);
}

function check({ action, run, calls, flags }: Typed): void {
  for (const [name, of] of Object.entries(optionsOf)) {
    if (flags[name as keyof RunsFlags] === undefined || of.includes(action)) continue;
    const option = name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
    throw new UsageError(`--${option} is for runs ${of.join(', ')}.`);
  }
  if (action === 'list' && run !== undefined) throw new UsageError('runs list: it takes no run.');
  if (action !== 'list' && run === undefined)
    throw new UsageError(`runs ${action}: which run?`, '`mustard-sandbox runs list` lists them');
  if (calls.length > 0 && ['show', 'cancel', 'resume'].includes(action)) {
    throw new UsageError(`runs ${action}: it takes no calls.`);
  }
}

async function list({ all = false, quiet = false }: RunsFlags): Promise<Report> {
  const found = (await allRuns()).filter(({ run: { state } }) => all || state === 'running' || state === 'waiting');
  return {
    json: { ok: true, runs: found.map(({ folder, run }) => ({ servers: folder.servers, ...run })) },
    print: () => printList(found, { all, quiet }),
    exitCode: exitCodes.done,
  };
}

async function show({ folder, run: { id } }: Found): Promise<Report> {
  await using runs = await openRuns(folder);
  const [run, script, audit] = [await runs.get(id), await runs.script(id), await runs.audit(id)];
  return {
    json: { ok: true, servers: folder.servers, run, script, audit },
    print: () => printRun({ folder, run, script, audit }),
    exitCode: exitCodes.done,
  };
}

async function cancel({ folder, run: { id } }: Found): Promise<Report> {
  await using runs = await openRuns(folder);
  const run = await runs.cancel(id);
  return { json: { ok: true, run }, print: () => printDecided(run, []), exitCode: exitCodes.done };
}

async function decide({ folder, run }: Found, decisions: readonly Decision[], signal: AbortSignal): Promise<Report> {
  await using runs = await openRuns(folder, [...new Set(run.calls.map(({ tool }) => tool))]);
  await runs.decide(run.id, decisions);
  const after = await takenUp(runs, run.id, signal);
  const decided = run.calls.filter(({ id }) =>
    decisions.some((decision) => 'proposal' in decision || decision.id === id),
  );
  return { json: { ok: true, run: after }, print: () => printDecided(after, decided), exitCode: exitCodes.done };
}

/** The run after a server has continued it, or its state after some time. */
async function takenUp(runs: Runs, id: string, signal: AbortSignal): Promise<Run> {
  const until = Date.now() + takenUpWithinMs;
  for (;;) {
    const run = await runs.get(id);
    const goesOn = run.state !== 'running' || run.calls.some(({ state }) => state === 'under_way');
    if (goesOn || Date.now() > until || signal.aborted) return run;
    await sleep(everyMs);
  }
}

/** Continues a run in this process, with the servers that it was begun with. */
async function resume({ folder, run }: Found, { restart = false }: RunsFlags, signal: AbortSignal): Promise<Report> {
  await using gateway = await openGateway(folder, await readServers(folder.servers));
  const { tool } = gateway;
  signal.throwIfAborted();
  if (restart) await tool.runs.restart(run.id);
  else if (run.state === 'running' || run.state === 'waiting') await tool.resume(run.id, []);
  // The result of an existing run, in any state.
  const result = await tool.execute({ script: await tool.runs.script(run.id) }, { id: run.id });
  return reportOf(result);
}

function reportOf(result: CodeModeResult): Report {
  const isFailed = result.status === 'failed';
  return {
    json: { ok: !isFailed, ...result },
    print: () => writeLine(process.stdout, printable(result.text)),
    exitCode: isFailed ? exitCodes.script : exitCodes.done,
  };
}
