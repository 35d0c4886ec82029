import { AgentError, requests, type Handlers, type RequestName } from '../../shared/contract/index.ts';
import { codesOf, diskFull } from '../disk-full.ts';
import type { Logger } from '../log.ts';

/** What a caller may read of an error: an `AgentError` as it is, and one sentence for any other, which is logged. */
export function toAgentError(error: unknown, log: Logger, channel: string): AgentError {
  if (error instanceof AgentError) return error;
  const full = diskFull(error);
  if (full !== undefined) return full;
  // The message of a library's error can contain keys or parts of files, so only the kind and place are logged.
  log.error({ channel, error: describe(error) }, 'a request failed');
  return new AgentError('internal', `Something went wrong in mustard-agent (${channel}). The log has the details.`);
}

/**
 * Answers one request, and checks its params and its result against the contract.
 *
 * @throws {AgentError} every error becomes one
 */
export async function dispatch(
  handlers: Handlers,
  channel: string,
  params: unknown,
  context: { signal: AbortSignal; log: Logger },
): Promise<unknown> {
  if (!Object.hasOwn(requests, channel)) {
    throw new AgentError('unknown_channel', `There is no channel ${JSON.stringify(channel)}.`);
  }
  const name = channel as RequestName;
  const parsed = requests[name].params.safeParse(params);
  if (!parsed.success) throw new AgentError('invalid_request', `${name}: ${problems(parsed.error)}`);
  // The compiler cannot see that params and handler belong to the same name.
  const handler = handlers[name] as (params: unknown, context: { signal: AbortSignal }) => Promise<unknown>;
  try {
    const result = requests[name].result.safeParse(await handler(parsed.data, { signal: context.signal }));
    if (result.success) return result.data;
    throw new Error(`the result of ${name} breaks the contract: ${problems(result.error)}`);
  } catch (error) {
    throw toAgentError(error, context.log, name);
  }
}

function problems({ issues }: { issues: readonly { path: readonly PropertyKey[]; message: string }[] }): string {
  return issues
    .slice(0, 5)
    .map(({ path, message }) => `${path.map(String).join('.') || 'params'}: ${message}`)
    .join('; ');
}

function describe(error: unknown): { name: string; code?: unknown; stack?: string } {
  if (!(error instanceof Error)) return { name: typeof error };
  const code = codesOf(error).find((one) => one !== undefined);
  const frames = error.stack?.split('\n').filter((line) => /^\s+at /.test(line));
  return {
    name: error.name,
    ...(code !== undefined && { code }),
    ...(frames && { stack: frames.slice(0, 12).join('\n') }),
  };
}
