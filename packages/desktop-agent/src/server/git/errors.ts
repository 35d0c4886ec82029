import { AgentError } from '../../shared/contract/index.ts';

/** Runs `use`. An error of git becomes an `AgentError` that says what to do. */
export async function explained<T>(use: () => Promise<T>): Promise<T> {
  try {
    return await use();
  } catch (error) {
    throw explain(error);
  }
}

/** An error of git or of the disk as an `AgentError`. Any other error stays as it is. */
export function explain(error: unknown): unknown {
  const code = systemCodeOf(error);
  if (code !== undefined && ['ENOSPC', 'EDQUOT', 'EFBIG'].includes(code)) {
    const message = 'The disk is full. Nothing was changed: free some space and try again.';
    return new AgentError('disk_full', message, { cause: error });
  }
  if (code !== undefined && ['EACCES', 'EPERM', 'EROFS'].includes(code)) {
    const message = `The files of this app cannot be written (${code}). Nothing was changed: look at who may write there.`;
    return new AgentError('denied', message, { cause: error });
  }
  const git = gitErrorOf(error);
  if (git?.code === 'UnsafeFilepathError') {
    return new AgentError('unsafe_path', `A version of this app has a path that is refused: ${git.message}`, {
      cause: error,
    });
  }
  if (git?.code === 'UnmergedPathsError') {
    const message = 'A merge in this app has left conflicts. Resolve them, and mark them as resolved with `git add`.';
    return new AgentError('busy', message, { cause: error });
  }
  if (git?.code === 'InternalError') {
    const message = `This repository cannot be read here: ${git.message}. Look at it with \`git fsck\` and \`git status\`.`;
    return new AgentError('no_git', message, { cause: error });
  }
  return error;
}

/** Errors are recognized by their codes, because isomorphic-git is loaded in two bundles with different error classes. */
function gitErrorOf(error: unknown): { code: string; message: string } | undefined {
  const { code, data } = (error ?? {}) as { code?: unknown; data?: { message?: unknown } };
  if (!(error instanceof Error) || typeof code !== 'string') return undefined;
  // The message of an internal error has several lines about where to report it.
  return { code, message: typeof data?.message === 'string' ? data.message : error.message };
}

/** The code of the system, such as `ENOSPC`, from the error or one of its causes. */
function systemCodeOf(error: unknown): string | undefined {
  const { code, cause } = (error ?? {}) as { code?: unknown; cause?: unknown };
  if (typeof code === 'string' && /^E[A-Z]+$/.test(code)) return code;
  return cause === undefined || cause === null ? undefined : systemCodeOf(cause);
}
