import { protocolVersion, SandboxError, type Connection, type EngineInfo } from '@mustard-sandbox/protocol';
import type { FileInput } from '../wire/files.ts';
import { ownCapabilities, type RemoteProtocol, type RemoteStats } from '../wire/protocol.ts';
import { ownVersion } from '../wire/version.ts';

const client = { name: '@mustard-sandbox/remote', version: ownVersion };

/** What is known of a server after the handshake. */
export interface ServerFacts {
  engine: EngineInfo;
  dialect: 'plain' | 'remote';
  /** The parameters that are paths of the client. Empty for a server that does not know files. */
  fileInputs: readonly FileInput[];
  capabilities: readonly string[];
  maxInlineBytes: number;
  maxFileBytes: number;
  stats: RemoteStats | undefined;
  /** Where artifacts lie at a server on this machine. */
  artifactsFolder: string | undefined;
}

/** Sends the first request in the remote dialect. @throws {SandboxError} `protocol_error` for another version of it */
export async function askRemote(connection: Connection<RemoteProtocol>): Promise<ServerFacts> {
  const answer = await connection.request('initialize', {
    protocolVersion,
    client,
    capabilities: [...ownCapabilities],
  });
  assertVersion(answer.protocolVersion);
  const { engine, fileInputs, capabilities, maxInlineBytes, maxFileBytes, stats, artifactsFolder } = answer;
  const files = { fileInputs, capabilities, maxInlineBytes, maxFileBytes, artifactsFolder };
  return { engine, dialect: 'remote', stats, ...files };
}

/** The facts of a server that speaks the sidecar's protocol. */
export async function askPlain(connection: Connection<RemoteProtocol>): Promise<ServerFacts> {
  const plain = connection as unknown as Connection;
  const { engine, protocolVersion: theirs } = await plain.request('initialize', { protocolVersion, client });
  assertVersion(theirs);
  return {
    engine,
    dialect: 'plain',
    fileInputs: [],
    capabilities: [],
    maxInlineBytes: 0,
    maxFileBytes: 0,
    stats: undefined,
    artifactsFolder: undefined,
  };
}

function assertVersion(theirs: number): void {
  if (theirs === protocolVersion) return;
  throw new SandboxError(
    'protocol_error',
    `The server speaks protocol version ${theirs}, this client version ${protocolVersion}. Install matching versions.`,
  );
}
