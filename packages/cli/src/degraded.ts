import type { Sandbox } from '@mustard-sandbox/client';
import { printable } from '@mustard-sandbox/client/text';
import { styled } from './output.ts';

/**
 * Has `tell` hear, as a line for stderr, when scripts run without the jail that they should be in. Without `tell` nobody
 * does: for commands that run no script of the user's, or say it in their own way.
 *
 * @returns what ends that
 */
export function onDegraded(sandbox: Sandbox, tell: (line: string) => void = () => {}): () => void {
  return sandbox.on('isolation_degraded', ({ reason }) => {
    tell(styled(process.stderr, 'yellow', `warning: scripts run without a jail: ${printable(reason)}`));
  });
}
