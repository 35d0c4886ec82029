import { createSandbox, type Sandbox } from '@mustard-sandbox/client';

/** The sandbox of a tool that was given none. Starts nothing yet. */
export function createOwnSandbox(): Sandbox {
  return createSandbox();
}
