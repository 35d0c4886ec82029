import type { RunSpent } from './errors.ts';

/** A run may take so many times its `timeoutMs` by the clock on the wall, where the machine does not let it compute. */
export const wallFactor = 4;

/** What a sidecar writes last that ends itself because a script overran its time inside of one long operation. */
export const overrunMessage = 'the script overran its time';

/** By how much a run is over its `timeoutMs`, in ms: by the clock on the wall, and by the processors' time. */
export interface Overrun {
  wallMs: number;
  cpuMs: number;
}

const figures = new RegExp(String.raw`\((-?\d{1,9}) ms, of processors (-?\d{1,9}) ms\) ${overrunMessage}$`);

/** The last words of such a sidecar. */
export function overrunWords({ wallMs, cpuMs }: Overrun): string {
  return `(${Math.round(wallMs)} ms, of processors ${Math.round(cpuMs)} ms) ${overrunMessage}`;
}

/** What a run had used whose sidecar ended with these words; `undefined` where it says no figures. */
export function spentByOverrun(stderr: string, timeoutMs: number): Pick<RunSpent, 'executionMs' | 'cpuMs'> | undefined {
  const [, wallMs, cpuMs] = figures.exec(stderr) ?? [];
  if (wallMs === undefined) return undefined;
  return { executionMs: Math.max(0, timeoutMs + Number(wallMs)), cpuMs: Math.max(0, timeoutMs + Number(cpuMs)) };
}

/** A share of its time by the clock on the wall. Who computed for less did not get a processor when it needed one. */
const busyShare = 0.5;

/** A sentence to follow a timeout where the machine was busy with others; otherwise empty. */
export function busyWords(spent: Pick<RunSpent, 'executionMs' | 'cpuMs'> | undefined, timeoutMs: number): string {
  if (spent === undefined || spent.cpuMs >= busyShare * spent.executionMs) return '';
  const again = spent.cpuMs < timeoutMs ? ', so the same script may pass next time' : '';
  const { executionMs, cpuMs } = spent;
  return ` The machine was busy: of ${seconds(executionMs)} the script had a processor for ${seconds(cpuMs)}${again}.`;
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}
