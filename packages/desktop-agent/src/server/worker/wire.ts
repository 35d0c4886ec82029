// What crosses between the program and its worker threads.
import { AgentError, type AgentErrorCode } from '../../shared/contract/index.ts';
import type { TaskName } from './tasks.ts';

export interface Request {
  task: TaskName;
  args: readonly unknown[];
  /** The variables that say where the person's settings of git are. */
  env: Readonly<Record<string, string>>;
}

export type Reply = { value: unknown } | { failure: Failure };

/** An error loses its class and its code when it is cloned, so this is sent instead. */
interface Failure {
  isAgentError: boolean;
  code: string | undefined;
  message: string;
  stack: string | undefined;
}

export function failureOf(error: unknown): Failure {
  if (!(error instanceof Error))
    return { isAgentError: false, code: undefined, message: String(error), stack: undefined };
  const { code, message, stack } = error as NodeJS.ErrnoException;
  return { isAgentError: error instanceof AgentError, code, message, stack };
}

export function errorOf({ isAgentError, code, message, stack }: Failure): Error {
  const error = isAgentError ? new AgentError(code as AgentErrorCode, message) : new Error(message);
  return Object.assign(error, stack !== undefined && { stack }, code !== undefined && { code });
}
