import { readFileSync } from 'node:fs';
import { protocolVersion, SandboxError, type Connection, type EngineInfo } from '@mustard-sandbox/protocol';
import type { Ask } from './asks.ts';
import type { ResolvedOptions } from './options.ts';

const client = '@mustard-sandbox/client';

/**
 * The client's name and version for the sidecar's log. In a bundle of the host the manifest is a different one, or is
 * missing.
 */
function readVersion(): string {
  try {
    const manifest = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
      name: string;
      version: string;
    };
    return manifest.name === client ? manifest.version : 'bundled';
  } catch {
    return 'bundled';
  }
}

const version = readVersion();

interface Facts {
  options: ResolvedOptions;
  roots: readonly string[] | undefined;
  /**
   * Whether this process is the parent of the sidecar. If not, a jail is between them, which ends with the host by
   * itself.
   */
  isChild: boolean;
}

/** The first request on a connection. Its time limit is that of the whole start. */
export function initialization(facts: Facts): Ask<EngineInfo> {
  return {
    method: 'initialize',
    timeoutMs: Infinity,
    send: (connection) => initialize(connection, facts),
    read: (engine) => engine as EngineInfo,
  };
}

/**
 * @throws {SandboxError} `protocol_error` for a sidecar of another protocol version; also the error that the sidecar
 * answers
 */
async function initialize(connection: Connection, { options, roots, isChild }: Facts): Promise<EngineInfo> {
  const { engine, protocolVersion: theirs } = await connection.request('initialize', {
    protocolVersion,
    client: { name: client, version },
    logLevel: options.logLevel,
    ...(isChild && { hostPid: process.pid }),
    maxResidentBytes: options.memoryBytes,
    graceMs: options.graceMs,
    progress: true,
    ...(roots !== undefined && { roots: [...roots] }),
  });
  if (theirs === protocolVersion) return engine;
  throw new SandboxError(
    'protocol_error',
    `The sidecar speaks protocol version ${theirs}, this client version ${protocolVersion}. Install matching versions.`,
  );
}
