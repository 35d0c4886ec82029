import type { ServerContext } from '@modelcontextprotocol/server';

/** Before the first one, and between two. A client that waits 60 s for an answer starts anew with each. */
const everyMs = 500;

/** Tells the client how long its call takes, if it wants to know, until it is disposed. */
export function reportProgress({ mcpReq }: ServerContext): Disposable {
  const progressToken = mcpReq._meta?.progressToken;
  if (progressToken === undefined) return { [Symbol.dispose]() {} };
  const startedAt = performance.now();
  const timer = setInterval(() => {
    const seconds = Math.round((performance.now() - startedAt) / 100) / 10;
    const params = { progressToken, progress: seconds, message: `Running for ${seconds} s` };
    // A client that is gone ends the call by its signal.
    mcpReq.notify({ method: 'notifications/progress', params }).catch(() => {});
  }, everyMs);
  return { [Symbol.dispose]: () => clearInterval(timer) };
}
