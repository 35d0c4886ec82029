import type { RunSpent } from './errors.ts';

/**
 * How many times its `timeoutMs` a run may take by the wall clock when the machine gives it too little processor time.
 */
export const wallFactor = 4;

/**
 * The end of the last line that a sidecar writes when it ends itself, because a script exceeded its time inside one
 * long operation.
 */
export const overrunMessage = 'the script overran its time';

/** By how much a run exceeded its `timeoutMs`, in ms: by the wall clock, and by processor time. */
export interface Overrun {
  wallMs: number;
  cpuMs: number;
}

const figures = new RegExp(String.raw`\((-?\d{1,9}) ms, of processors (-?\d{1,9}) ms\) ${overrunMessage}$`);

/** The last line that such a sidecar writes. */
export function overrunWords({ wallMs, cpuMs }: Overrun): string {
  return `(${Math.round(wallMs)} ms, of processors ${Math.round(cpuMs)} ms) ${overrunMessage}`;
}

/** What a run had used when its sidecar ended with this line; `undefined` when the line has no figures. */
export function spentByOverrun(stderr: string, timeoutMs: number): Pick<RunSpent, 'executionMs' | 'cpuMs'> | undefined {
  const [, wallMs, cpuMs] = figures.exec(stderr) ?? [];
  if (wallMs === undefined) return undefined;
  return { executionMs: Math.max(0, timeoutMs + Number(wallMs)), cpuMs: Math.max(0, timeoutMs + Number(cpuMs)) };
}

/** The share of the wall time below which a script counts as kept waiting for a processor. */
const busyShare = 0.5;

/** A sentence to follow a timeout when other programs kept the machine busy; otherwise empty. */
export function busyWords(spent: Pick<RunSpent, 'executionMs' | 'cpuMs'> | undefined, timeoutMs: number): string {
  if (spent === undefined || spent.cpuMs >= busyShare * spent.executionMs) return '';
  const again = spent.cpuMs < timeoutMs ? ', so the same script may pass next time' : '';
  const { executionMs, cpuMs } = spent;
  return ` The machine was busy: of ${seconds(executionMs)} the script had a processor for ${seconds(cpuMs)}${again}.`;
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}
