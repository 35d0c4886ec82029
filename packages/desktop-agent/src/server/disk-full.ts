import { AgentError } from '../shared/contract/index.ts';

const codes: ReadonlySet<unknown> = new Set(['ENOSPC', 'EDQUOT', 'SQLITE_FULL']);
const defaultWords = 'The disk is full. Free some room and try again.';

/** An error `disk_full` if the error or one of its causes says that the disk is full; `undefined` otherwise. */
export function diskFull(error: unknown, words = defaultWords): AgentError | undefined {
  return codesOf(error).some((code) => codes.has(code))
    ? new AgentError('disk_full', words, { cause: error })
    : undefined;
}

/** The codes of an error and of its causes, because drizzle wraps the errors of the database. */
export function codesOf(error: unknown): unknown[] {
  const found: unknown[] = [];
  for (let at = error, depth = 0; at instanceof Error && depth < 5; at = at.cause, depth++) {
    found.push((at as { code?: unknown }).code);
  }
  return found;
}
