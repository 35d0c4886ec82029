import { setTimeout as delay } from 'node:timers/promises';
import { longestPauseMs } from './hub.ts';

/** Codes of the system for a server that cannot be reached. */
const systemCodes = ['ECONNREFUSED', 'ECONNRESET', 'ENOENT', 'EPIPE', 'ETIMEDOUT', 'EAI_AGAIN', 'ENOTFOUND'];
/** SQLSTATE of connections (08), a shutdown and a start (57P), a crash of another session, and too many connections. */
const serverCodes = /^(?:08...|57P0[1-5]|53300)$/;

/** Repeats work while the server is away. ioredis does that by itself, and `pg` does not. */
export async function patiently<T>(over: AbortSignal, work: () => Promise<T>): Promise<T> {
  for (let attempt = 0; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (over.aborted || !isOfConnection(error)) throw error;
      await delay(Math.min(longestPauseMs, 50 * 2 ** Math.min(attempt, 10)), undefined, { ref: false });
    }
  }
}

function isOfConnection(error: unknown): boolean {
  const { code = '', message = '' } = error as { code?: string; message?: string };
  return (
    systemCodes.includes(code) || serverCodes.test(code) || /^Connection terminated|^timeout exceeded/.test(message)
  );
}
