import type { McpOptions } from './options.ts';

const summary = `execute_sandbox_script runs a small read-only script over files that are too big to read, and answers with what it computes: counts, searches, slices.`;

/** Why no script can run, for a person; `undefined` when scripts can. */
export function whyDisabled(consent: McpOptions['consent']): string | undefined {
  return consent === 'never' ? 'Scripts are turned off: the server was started with --consent never.' : undefined;
}

/**
 * What the server is for. It holds no names of attachments, because a client puts this text into every prompt, and
 * whoever made a file chose its name. `list_files("attachments:")` and the resources give the names.
 */
export function describeServer({ consent, instructions }: Pick<McpOptions, 'consent' | 'instructions'>): string {
  const ofScripts = whyDisabled(consent) ?? summary;
  return instructions === undefined ? ofScripts : `${ofScripts}\n\n${instructions}`;
}
