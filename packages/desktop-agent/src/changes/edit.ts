import { AgentError } from '../contract/index.ts';

/**
 * A text file of the app, for the editor.
 *
 * @throws {AgentError} `not_found`, `unsafe_path`, `limit_exceeded` (over 1 MB, or not text)
 */
export async function readFile(_appPath: string, _path: string): Promise<{ content: string; hash: string }> {
  throw new AgentError('internal', 'Not built yet.');
}

/**
 * Saves a file, as a whole, and commits it at once.
 *
 * @param hash what `readFile` gave; `null` for a new file
 * @throws {AgentError} `changed` when the file is not what was read, and as `applyPlan`
 */
export async function editFile(
  _appPath: string,
  _path: string,
  _content: string,
  _hash: string | null,
): Promise<{ hash: string; commit: string | null }> {
  throw new AgentError('internal', 'Not built yet.');
}
