// Tables that scripts have saved, a page at a time.
import { SandboxError } from '@mustard-sandbox/client';
import { rowsScript, type RowsRequest } from '@mustard-sandbox/protocol/rows';
import { AgentError, type App, type Result } from '../../shared/contract/index.ts';
import type { TurnServices } from './turn.ts';

/** A person waits. A table of a million rows takes some hundred milliseconds. */
const timeoutMs = 10_000;

interface AskedRows {
  chatId: string;
  app: App;
  /** Of the file. */
  name: string;
  request: RowsRequest;
  columns: readonly string[];
}

/**
 * A page of a stored table. A script of ours reads it in the sandbox of the app, by the guard and within the limits of
 * every script, and sees that one file.
 *
 * @throws {AgentError} `not_found`, `unsafe_path`, `limit_exceeded`
 */
export async function readRows(
  { sandboxes, saved }: Pick<TurnServices, 'sandboxes' | 'saved'>,
  { chatId, app, name, request, columns }: AskedRows,
): Promise<Result<'read-rows'>> {
  const path = saved.pathOf(chatId, name);
  const sandbox = await sandboxes.of(app);
  try {
    const { value } = await sandbox.run({
      script: rowsScript(`attachments:${name}`, request, columns),
      scope: { attachments: [{ name, path, noLinks: true }] },
      limits: { timeoutMs },
    });
    return value as unknown as Result<'read-rows'>;
  } catch (error) {
    if (!(error instanceof SandboxError)) throw error;
    const code = error.code === 'limit_exceeded' || error.code === 'timeout' ? 'limit_exceeded' : 'not_found';
    throw new AgentError(code, error.message, { cause: error });
  }
}
