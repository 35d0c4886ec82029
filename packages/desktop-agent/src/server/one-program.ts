import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import { AgentError } from '../shared/contract/index.ts';
import { holdLock, type HeldLock } from './database/hold-lock.ts';
import { writePrivate } from './private-files.ts';
import { openPath } from './http/http.ts';

const attempts = 50;
const pauseMs = 100;

/** How to reach the program of a data folder. It is in a file that only this user may read. */
const runningFile = z.strictObject({ pid: z.int(), origin: z.string(), token: z.string() });

/** @throws {AgentError} `already_running` when another program has the data folder */
export async function holdDataFolder(dataDir: string): Promise<HeldLock> {
  const lock = await holdLock(join(dataDir, 'agent.lock'));
  if (lock !== undefined) return lock;
  throw new AgentError('already_running', `Another mustard-agent uses ${dataDir}. Only one can use it at a time.`);
}

/** Stores the address of this program for a second start. @returns removes it */
export async function announce(dataDir: string, url: string): Promise<() => Promise<void>> {
  const file = fileIn(dataDir);
  const { origin, hash } = new URL(url);
  const token = new URLSearchParams(hash.slice(1)).get('token');
  await writePrivate(file, JSON.stringify({ pid: process.pid, origin, token }));
  return async () => await rm(file, { force: true });
}

/**
 * Asks the program that has the data folder for an address to open.
 *
 * @param folder absolute; it becomes an app of that program
 * @throws {AgentError} `busy` when it does not answer
 */
export async function askRunning(
  dataDir: string,
  folder: string | undefined,
): Promise<{ origin: string; url: string }> {
  const { origin, token, pid } = await readRunning(dataDir);
  const query = folder === undefined ? '' : `?${new URLSearchParams({ folder }).toString()}`;
  const response = await fetch(`${origin}${openPath}${query}`, {
    method: 'PUT',
    headers: { authorization: `Bearer ${token}` },
    signal: AbortSignal.timeout(10_000),
  }).catch((error: unknown) => {
    throw new AgentError('busy', `Another mustard-agent (process ${pid}) has ${dataDir} and does not answer.`, {
      cause: error,
    });
  });
  const answer = z
    .union([z.object({ url: z.string() }), z.object({ message: z.string() })])
    .parse(await response.json());
  if ('message' in answer) throw new AgentError('invalid_request', answer.message);
  return { origin, url: answer.url };
}

/** Reads the address. The program may still be starting, and stores it once it listens. */
async function readRunning(dataDir: string): Promise<z.infer<typeof runningFile>> {
  for (let attempt = 1; ; attempt++) {
    try {
      return runningFile.parse(JSON.parse(await readFile(fileIn(dataDir), 'utf8')));
    } catch (error) {
      const message = `Another mustard-agent with ${dataDir} is just starting or ending. Try again in a moment.`;
      if (attempt === attempts) throw new AgentError('busy', message, { cause: error });
      await delay(pauseMs);
    }
  }
}

function fileIn(dataDir: string): string {
  return join(dataDir, 'running.json');
}
