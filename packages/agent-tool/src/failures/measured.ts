import type { RunProfile, RunSpent } from '@mustard-sandbox/client';
import type { AnyNode } from 'acorn';
import type { Failure } from './failure.ts';
import { lineOf, loopsAround, type Program } from './program.ts';

interface Lines {
  line: number;
  endLine: number;
}

/** A share of the time from which on it is the cause. */
const most = 0.6;

/** A busy machine gave the script less of its processor than this. */
const busyShare = 0.5;

/** What a run that ended by a limit had done, in sentences for the model; empty where nobody measured it. */
export function measurementsOf({ error, context }: Failure): string {
  const { spent } = error.details;
  if (spent === undefined) return '';
  const { executionMs, cpuMs } = spent;
  const isBusy = error.code === 'timeout' && cpuMs < busyShare * executionMs;
  const busy = isBusy
    ? ` The machine was busy: of ${seconds(executionMs)} the script had a processor for ${seconds(cpuMs)}, so the same script may pass next time.`
    : '';
  return `${busy}${timesOf(context.profile)}${progressOf(spent)}`;
}

/**
 * The lines that took the time, as the calls of functions tell it: each marks a point in time. Before the last call it went
 * into the loop around the calls, after it into what follows.
 */
export function slowLines(program: Program, profile: RunProfile | undefined): Lines | undefined {
  const total = profile === undefined ? 0 : totalOf(profile);
  if (profile === undefined || total === 0 || profile.capabilities.length === 0) return undefined;
  const names = new Set(profile.capabilities.map(({ name }) => name));
  const calls = program.visits.filter(
    ({ node }) => callName(node) !== undefined && names.has(callName(node) as string),
  );
  const regions = calls.map((visit) => loopsAround(visit).at(-1) ?? visit.node);
  if (regions.length === 0) return undefined;
  const after = Math.max(...regions.map(endOf));
  if (profile.rest.scriptMs > most * total) return { line: after + 1, endLine: Infinity };
  return { line: Math.min(...regions.map(lineOf)), endLine: after };
}

function timesOf(profile: RunProfile | undefined): string {
  const total = profile === undefined ? 0 : totalOf(profile);
  if (profile === undefined || total === 0) return '';
  const [slowest] = profile.capabilities.toSorted((a, b) => b.ms - a.ms);
  if (slowest !== undefined && slowest.ms > most * total) {
    return ` Measured: ${slowest.calls} calls of ${slowest.name}() took ${seconds(slowest.ms)}.`;
  }
  if (profile.capabilities.length > 0 && profile.rest.scriptMs > most * total) {
    return ` Measured: ${seconds(profile.rest.scriptMs)} went into the code after the last call of a function.`;
  }
  return '';
}

function progressOf({ reached }: RunSpent): string {
  if (reached === undefined || reached.size === 0 || reached.position >= reached.size) return '';
  const { path, position, size } = reached;
  const parts = Math.ceil((1.25 * size) / Math.max(1, position));
  const enough = parts > 1 && parts <= 20 ? `; ${parts} runs, each over a part, would do` : '';
  return ` It came to byte ${position} of ${size} of ${JSON.stringify(path.slice(0, 200))}${enough}.`;
}

function totalOf({ capabilities, rest }: RunProfile): number {
  return capabilities.reduce((sum, { ms, scriptMs }) => sum + ms + scriptMs, rest.scriptMs);
}

function callName(node: AnyNode): string | undefined {
  return node.type === 'CallExpression' && node.callee.type === 'Identifier' ? node.callee.name : undefined;
}

function endOf(node: AnyNode): number {
  return node.loc?.end.line ?? lineOf(node);
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}
