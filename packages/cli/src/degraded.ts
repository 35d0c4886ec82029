import type { Sandbox } from '@mustard-sandbox/client';
import { printable } from '@mustard-sandbox/client/text';
import { styled } from './output.ts';

/**
 * Calls `tell` with a warning for stderr when scripts run without the jail that they should run in. A command that runs
 * no script of the user, or that reports this in its own way, passes no `tell`.
 *
 * @returns ends this when it is called
 */
export function onDegraded(sandbox: Sandbox, tell: (line: string) => void = () => {}): () => void {
  return sandbox.on('isolation_degraded', ({ reason }) => {
    tell(styled(process.stderr, 'yellow', `warning: scripts run without a jail: ${printable(reason)}`));
  });
}
