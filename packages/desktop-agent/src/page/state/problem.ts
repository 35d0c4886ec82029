import { AgentError } from '../../shared/contract/index.ts';
import { texts } from '../words/texts.ts';
import type { Problem } from './agent-state.ts';

/** The words about an error for a person. Only the message of an `AgentError` is meant for them. */
export function problemOf(error: unknown): Problem {
  if (error instanceof AgentError) return { code: error.code, message: error.message };
  return { code: 'internal', message: texts.unexpected(error instanceof Error ? error.message : String(error)) };
}
