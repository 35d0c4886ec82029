import { formatBytes } from '../sizes.ts';
import type { StoredAttachment } from '../attachments/attachment.ts';
import { visible } from './visible.ts';

/**
 * What tells a model of its attachments, one line each.
 *
 * @param scripting whether `execute_sandbox_script` can run here
 */
export function attachmentBlock(stored: readonly StoredAttachment[], scripting: boolean): string {
  const how = scripting
    ? 'use attachments:<name> with read_file / execute_sandbox_script'
    : 'sandbox scripting unavailable on this platform';
  const lines = stored.map(
    ({ name, size, mediaType }) => `- attachments:${visible(name)} (${formatBytes(size)}, ${visible(mediaType)})`,
  );
  return [`Attachments available on disk (${how}):`, ...lines].join('\n');
}
