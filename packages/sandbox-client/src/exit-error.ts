import { busyWords, limitAdvice, oneLine, SandboxError, spentByOverrun } from '@mustard-sandbox/protocol';
import { crashAdvice, crashReason, describeExit, type Exit } from './exit-cause.ts';
import type { SandboxEvents } from './types.ts';

export type KillCause = SandboxEvents['killed']['why'];

/** The error for a process that ended by itself. It blames the script if one ran, and otherwise the installation. */
export function exitError(exit: Exit, duringRun: boolean): SandboxError {
  const reason = crashReason(exit);
  const { signal, exitCode, stderr } = exit;
  const details = { reason, signal, exitCode, stderr };
  if (duringRun) {
    const message = `${describeExit(exit)} while it ran the script. ${crashAdvice(reason)}`;
    return new SandboxError('sidecar_crashed', message, { details });
  }
  const lastWords = stderr === '' ? '' : ` It wrote: ${oneLine(stderr.split('\n').at(-1) ?? '', 500)}`;
  return new SandboxError('sidecar_unavailable', `${describeExit(exit)} while no script ran.${lastWords}`, { details });
}

/** The error for the task of a process that the client killed, or that ended itself at the deadline. */
export function killError(
  why: KillCause,
  facts: { timeoutMs: number; startTimeoutMs: number; stderr: string },
): SandboxError {
  const { timeoutMs, startTimeoutMs, stderr } = facts;
  switch (why) {
    case 'deadline': {
      const busy = busyWords(spentByOverrun(stderr, timeoutMs), timeoutMs);
      return new SandboxError(
        'timeout',
        `The script did not finish within ${timeoutMs} ms. It was inside one long operation and could not be stopped, ` +
          `so its sidecar was killed.${busy} ${limitAdvice('timeoutMs')}`,
        { details: { limit: 'timeout_ms', value: timeoutMs, unit: 'ms', killed: true } },
      );
    }
    case 'cancelled':
      return new SandboxError('cancelled', 'The run was cancelled.', { details: { killed: true } });
    case 'closed':
      return new SandboxError('closed', 'The sandbox was closed.');
    case 'start_timeout':
      return new SandboxError(
        'sidecar_unavailable',
        `The sidecar did not start within ${startTimeoutMs} ms (startTimeoutMs).`,
        { details: { stderr } },
      );
    case 'unresponsive':
      return new SandboxError('sidecar_unavailable', 'The sidecar did not answer while no script ran.', {
        details: { stderr },
      });
    case 'protocol_error':
      return new SandboxError('protocol_error', 'The sidecar closed its output.');
  }
}
