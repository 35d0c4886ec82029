import { isGlob } from '@mustard-sandbox/paths';
import type { BuiltinCall } from '../call.ts';
import type { BuiltinContext } from '../context.ts';
import { filesNamedBy } from '../find-files.ts';

/** Each file is open until the query ends. */
const maxFiles = 200;

/**
 * The files that match a pattern; `undefined` for the path of one file.
 *
 * @throws {SandboxError} `script_error` when no file matches, `limit_exceeded` for too many
 */
export function globFiles(context: BuiltinContext, path: string, call: BuiltinCall): string[] | undefined {
  if (!isGlob(path)) return undefined;
  const { paths, isSingle } = call.run(() => filesNamedBy(context, path, call));
  if (isSingle) return undefined;
  if (paths.length === 0) {
    const why = `no file matches ${call.shown}. find_files(${call.shown}) shows what does.`;
    throw call.failed('NotFoundError', why);
  }
  if (paths.length <= maxFiles) return paths;
  const why = `${call.shown} matches ${paths.length} files, and a table has at most ${maxFiles}. Take fewer at a time.`;
  throw call.limitExceeded('value_items', maxFiles, paths.length, why, 'items');
}
