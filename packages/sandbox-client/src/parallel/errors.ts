import { quote, SandboxError, toSandboxError, type LimitName } from '@mustard-sandbox/protocol';

const otherVariables =
  'The function runs in another process, which does not have the variables of the script. Give it what it needs as the ' +
  'third argument of parallel(), which it gets as its second.';

const notAlone = 'The function cannot stand alone, as a method cannot: write it as an arrow function.';

/** The error of one run, as the script that called `parallel` gets it: it names the path, and nothing of the host. */
export function errorOf(path: string, error: unknown): SandboxError {
  const { code, message, details } = toSandboxError(error);
  const { name, thrownMessage, location, limit, value, unit, actual } = details;
  const line = location === undefined ? '' : ` (line ${location.line} of the function)`;
  const what =
    thrownMessage === undefined
      ? message.replace(/ \(line \d+:\d+\)$/, line)
      : `${name ?? 'Error'}: ${thrownMessage}${line}`;
  const hint = name === 'ReferenceError' ? `. ${otherVariables}` : code === 'parse_error' ? `. ${notAlone}` : '';
  return new SandboxError(code, `parallel: ${quote(path)}: ${what}${hint}`, {
    details: { path, ...(limit !== undefined && { limit, value, unit, actual }) },
    cause: error,
  });
}

/** The error of all runs together, which have used more bytes than the run that started them has left. */
export function sumExceeded(limit: LimitName, value: number): SandboxError {
  return new SandboxError(
    'limit_exceeded',
    `parallel: the files together need more than the ${value} bytes that the run has left (${limit}). Take fewer files, ` +
      'or less of each.',
    { details: { limit, value, unit: 'bytes' } },
  );
}

/** The error of the first path that was not begun. */
export function noTimeLeft(timeoutMs: number): SandboxError {
  return new SandboxError('timeout', `The ${timeoutMs} ms of the run were used up before it.`, {
    details: { limit: 'timeout_ms', value: timeoutMs, unit: 'ms' },
  });
}
