import git from 'isomorphic-git';
import { AgentError } from '../../contract/index.ts';

/** Runs `use`; what git has to say against it becomes an `AgentError`, with what to do. */
export async function explained<T>(use: () => Promise<T>): Promise<T> {
  try {
    return await use();
  } catch (error) {
    throw explain(error);
  }
}

export function isOfGit(error: unknown): boolean {
  return error instanceof Error && Object.hasOwn(git.Errors, error.name);
}

function explain(error: unknown): unknown {
  const { Errors } = git;
  if (error instanceof Errors.UnsafeFilepathError) {
    return new AgentError('unsafe_path', `A version of this app has a path that is refused: ${error.message}`, {
      cause: error,
    });
  }
  if (error instanceof Errors.UnmergedPathsError) {
    const message = 'A merge in this app has left conflicts. Resolve them, and mark them as resolved with `git add`.';
    return new AgentError('busy', message, { cause: error });
  }
  if (error instanceof Errors.NotFoundError) {
    const message = `An object of this repository is missing (${error.message}). If it is a shallow clone, run \`git fetch --unshallow\`.`;
    return new AgentError('not_found', message, { cause: error });
  }
  if (error instanceof Errors.InternalError) {
    const message = `This repository cannot be read here: ${error.message}. Look at it with \`git fsck\` and \`git status\`.`;
    return new AgentError('no_git', message, { cause: error });
  }
  return error;
}
