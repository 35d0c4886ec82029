import { SandboxError } from '@mustard-sandbox/client';
import { wordsOf } from '../words.ts';

const maxNames = 20;

/**
 * Why search or read_file failed, for the model. The sidecar's own messages are for scripts and name functions that are not
 * tools of the model.
 *
 * @param attached the names of files that can be read as `attachments:<name>`
 */
export function wordsOfReading(error: unknown, attached: readonly string[]): string {
  if (!(error instanceof SandboxError)) return wordsOf(error);
  const { code, details } = error;
  const { name, limit, path = '' } = details;
  const quoted = JSON.stringify(path);
  if (name === 'NotFoundError') {
    if (!path.startsWith('attachments:')) {
      return `There is no file ${quoted} in the app. search with a glob such as **/*.ts shows where files are.`;
    }
    const names = attached.slice(0, maxNames).map((one) => JSON.stringify(`attachments:${one}`));
    if (attached.length > maxNames) names.push(`${attached.length - maxNames} more`);
    return `There is no ${quoted}. ${names.length === 0 ? 'No file is attached to this chat.' : `Attached are ${names.join(', ')}.`}`;
  }
  if (code === 'capability_denied') {
    return `${quoted} may not be read: it is a folder, it may hold secrets, or it leads out of the app. search looks through all files of a folder.`;
  }
  if (limit === 'read_bytes')
    return `${quoted} has a line that is too long to be read as lines. search looks through it.`;
  return wordsOf(error);
}
