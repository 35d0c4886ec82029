import { AgentError } from '../../shared/contract/index.ts';
import { realApp } from '../git/repository.ts';
import { AppFiles, hashOf } from './app-files.ts';
import { isBinary } from './diff.ts';
import { transact } from './transaction.ts';
import { refuseTwins } from './twins.ts';
import { withApp, type WriteOptions } from './writing.ts';

const maxEditorBytes = 1024 * 1024;

/**
 * A text file of the app, for the editor. `hash` is the SHA-256 of its content.
 *
 * @throws {AgentError} `not_found`, `unsafe_path`, `limit_exceeded` (over 1 MB, or not text)
 */
export async function readFile(appPath: string, path: string): Promise<{ content: string; hash: string }> {
  const file = new AppFiles(await realApp(appPath)).read(path, maxEditorBytes);
  if (file === null) throw new AgentError('not_found', `There is no file ${JSON.stringify(path)} in this app.`);
  if (isBinary(file.bytes))
    throw new AgentError('limit_exceeded', `${path} is not a text file, so it cannot be edited here.`);
  return { content: file.bytes.toString('utf8'), hash: file.hash };
}

/**
 * Saves a whole file and commits it at once. What the person had changed in it with other programs is committed before.
 *
 * @param hash the hash from `readFile`; `null` for a new file
 * @throws {AgentError} `changed` when the file has changed since it was read, and as `applyPlan`
 */
export async function editFile(
  appPath: string,
  path: string,
  content: string,
  hash: string | null,
  options: WriteOptions = {},
): Promise<{ hash: string; commit: string | null }> {
  const bytes = Buffer.from(content);
  if (bytes.length > maxEditorBytes) throw new AgentError('limit_exceeded', `${path} would be over 1 MB.`);
  const made = await withApp(appPath, options, async ({ repository }) => {
    const files = new AppFiles(repository.app);
    const plain = files.check(path);
    const now = files.read(plain);
    if ((now?.hash ?? null) !== hash) {
      throw new AgentError(
        'changed',
        `${plain} was changed since it was opened. Open it again, and make your change there.`,
      );
    }
    if (now === null) await refuseTwins(repository.app, [{ path: plain, kind: 'write', content: '' }]);
    const step = { path: plain, put: { bytes, executable: now?.executable ?? false }, base: hash };
    return transact(repository, { steps: [step], message: `Edit ${repository.prefix}${plain}` });
  });
  return { hash: hashOf(bytes), commit: made.commit };
}
