import type { LimitOptions, SandboxError } from '@mustard-sandbox/client';

/** What a failed run was asked to do. */
export interface FailureContext {
  script: string;
  /** The limits it ran under, as far as they are not the defaults. */
  limits?: LimitOptions;
}

/** The answer to a model whose script failed: what happened, and where. */
export function explainFailure({ message, details }: SandboxError, _context: FailureContext): string {
  return details.frame === undefined ? message : `${message}\n\n${details.frame}`;
}
