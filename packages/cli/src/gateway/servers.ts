import { readFile } from 'node:fs/promises';
import { parseServers, type Servers } from '@mustard-sandbox/code-mode/host';
import { UsageError } from '../failure.ts';

export type { Servers };

/** Reads a `servers.json`. @throws {UsageError} with the file and what is wrong in it */
export async function readServers(file: string, env: NodeJS.ProcessEnv = process.env): Promise<Servers> {
  const text = await readFile(file, 'utf8').catch((error: Error) => {
    throw new UsageError(`--connect: '${file}' cannot be read: ${error.message}.`);
  });
  try {
    return parseServers(parsed(text), env);
  } catch (error) {
    throw new UsageError(`--connect: '${file}': ${(error as Error).message}.`);
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    throw new Error(`it is not JSON: ${(error as Error).message}`, { cause: error });
  }
}
