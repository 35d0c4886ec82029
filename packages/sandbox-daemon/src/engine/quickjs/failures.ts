import { limitAdvice, limitTable, SandboxError, type Limits } from '@mustard-sandbox/protocol';
import type { Program } from '../read/program.ts';
import { scriptError, type Thrown } from './errors.ts';
import type { Value } from './vm.ts';

/** An error that the script threw, as a pointer into its instance. */
export class GuestError extends Error {
  readonly value: Value;

  constructor(value: Value) {
    super('thrown in the script');
    this.value = value;
  }
}

/**
 * The error that ended a run, as the caller should see it.
 *
 * @param describe writes an error of the script as JSON
 */
export function explained(
  error: unknown,
  describe: (thrown: Value) => string,
  program: Program,
  limits: Limits,
): unknown {
  if (error instanceof GuestError) {
    try {
      const thrown = JSON.parse(describe(error.value)) as Thrown;
      if (isOutOfMemory(thrown)) return limitExceeded('heapBytes', limits);
      return thrown.name === 'ResultError' ? resultError(`${thrown.message}.`) : scriptError(thrown, program);
    } catch (nested) {
      error = nested;
    }
  }
  if (error instanceof SandboxError) return error;
  if (isOfInstance(error)) {
    const message = 'Maximum call stack size exceeded';
    if (/memory/.test(error.message)) return limitExceeded('heapBytes', limits);
    return scriptError({ name: 'RangeError', message }, program);
  }
  return error;
}

/** Whether V8's stack or memory ran out inside the instance, or the instance trapped. */
function isOfInstance(error: unknown): error is Error {
  return error instanceof RangeError || error instanceof WebAssembly.RuntimeError;
}

function isOutOfMemory({ name, message }: Thrown): boolean {
  // QuickJS gives the second message in place of any message for which it had no memory.
  return name === 'InternalError' && (message === 'out of memory' || message === 'Invalid error message');
}

export function unsettled(): SandboxError {
  return new SandboxError('script_error', 'The script awaits a promise that nothing will ever settle.', {
    details: { name: 'Error', construct: 'unsettled_promise' },
  });
}

export function resultError(why: string): SandboxError {
  return new SandboxError('script_error', `The result cannot leave the sandbox: ${why}`, {
    details: { name: 'ResultError' },
  });
}

export function limitExceeded(option: 'heapBytes' | 'instructions', limits: Limits): SandboxError {
  const { name, unit } = limitTable[option];
  const value = limits[option];
  return new SandboxError(
    'limit_exceeded',
    `The script exceeded its limit of ${value} ${unit} (${name}). ${limitAdvice(option)}`,
    { details: { limit: name, value, unit } },
  );
}
