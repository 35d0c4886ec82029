import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { keyIn, writeNew } from '@mustard-sandbox/code-mode/host';
import type { Key } from '@mustard-sandbox/runs';
import { stateFolder } from '../configuration/path.ts';
import { UsageError } from '../failure.ts';

const nameLength = 16;

/**
 * The folder with the runs of one `servers.json`. Runs of other servers are kept apart, because they have other tools.
 */
export interface GatewayFolder {
  /** Absolute. */
  path: string;
  /** The `servers.json` of these runs, absolute. */
  servers: string;
  database: string;
  /** The folder for large answers of tools. */
  answers: string;
}

/** The folder of a `servers.json`, made if it is missing. Only this user may enter it. @throws {UsageError} */
export async function gatewayOf(file: string): Promise<GatewayFolder> {
  const servers = await realpath(file).catch((error: NodeJS.ErrnoException) => {
    throw new UsageError(`--connect: '${file}' cannot be read: ${error.message}.`);
  });
  const name = createHash('sha256').update(servers).digest('hex').slice(0, nameLength);
  const path = join(stateFolder('runs'), name);
  await mkdir(path, { recursive: true, mode: 0o700 });
  await writeNew(join(path, 'gateway.json'), `${JSON.stringify({ servers })}\n`);
  return folderAt(path, servers);
}

/** The gateways whose folders exist. */
export async function knownGateways(): Promise<GatewayFolder[]> {
  const all = stateFolder('runs');
  const names = await readdir(all).catch(() => []);
  const found = await Promise.all(
    names.map(async (name) => {
      const path = join(all, name);
      const text = await readFile(join(path, 'gateway.json'), 'utf8').catch(() => undefined);
      return text === undefined ? [] : [folderAt(path, (JSON.parse(text) as { servers: string }).servers)];
    }),
  );
  return found.flat();
}

/** The key that seals the runs of a gateway. @throws {UsageError} when it is damaged */
export async function keyOf({ path }: GatewayFolder): Promise<Key> {
  return await keyIn(path).catch((error: Error) => {
    throw new UsageError(error.message, 'restore it from a backup, or remove the folder to start again');
  });
}

function folderAt(path: string, servers: string): GatewayFolder {
  return { path, servers, database: join(path, 'runs.db'), answers: join(path, 'answers') };
}
