import { SandboxError } from '@mustard-sandbox/client';

/** An error of a tool in a few words, for the model and for the call's line. */
export function wordsOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return error instanceof SandboxError ? `${error.code}: ${message}` : message;
}
