import { assertGiven, type RunRequest, type RunResult } from '@mustard-sandbox/client/peer';
import {
  decodeValue,
  parse,
  runProfileSchema,
  SandboxError,
  type ResultOf,
  type RunProfile,
  type SandboxValue,
} from '@mustard-sandbox/protocol';
import type { ArtifactHandle } from '../wire/artifact.ts';
import type { RemoteProtocol } from '../wire/protocol.ts';
import type { ArtifactCache } from './artifacts.ts';
import type { ServerPeer } from './link.ts';
import type { ResolvedConnectOptions } from './options.ts';
import { isDirective, writeOutput } from './outputs.ts';

/**
 * Turns the answer of a server into the result for a caller: large parts are fetched, and a result that is a file is
 * written.
 */
export class Results {
  readonly #options: Pick<ResolvedConnectOptions, 'outputs'>;
  readonly #artifacts: ArtifactCache;

  constructor(options: Pick<ResolvedConnectOptions, 'outputs'>, artifacts: ArtifactCache) {
    this.#options = options;
    this.#artifacts = artifacts;
  }

  async finish(
    result: ResultOf<RemoteProtocol, 'sandbox/run'>,
    request: RunRequest,
    facts: ServerPeer['facts'],
  ): Promise<RunResult> {
    const { value: wire, profile: sent, attachmentsRead = [], warnings = [], queueMs, sidecar: _, ...rest } = result;
    const { residentBytes: __, ...stats } = rest as typeof rest & { residentBytes?: number };
    assertGiven(attachmentsRead, request);
    const value = 'artifact' in wire ? await this.#fetchValue(wire.artifact, request, facts) : decodeValue(wire);
    const profile = sent && ('artifact' in sent ? await this.#fetchProfile(sent.artifact, request, facts) : sent);
    const { outputs } = this.#options;
    const written = outputs !== undefined && isDirective(value) ? await writeOutput(value, outputs) : undefined;
    return {
      ...stats,
      value: written ?? value,
      attachmentsRead,
      warnings,
      queueMs: facts.dialect === 'plain' ? 0 : queueMs,
      ...(profile !== undefined && { profile }),
    };
  }

  async #fetchValue(artifact: ArtifactHandle, request: RunRequest, facts: ServerPeer['facts']): Promise<SandboxValue> {
    const wire = await this.#fetchJson(artifact, request, facts);
    if (typeof wire === 'object' && wire !== null && ('json' in wire || 'tagged' in wire)) {
      return decodeValue(wire);
    }
    throw new SandboxError('protocol_error', 'The server sent a result that is not a value.');
  }

  async #fetchProfile(artifact: ArtifactHandle, request: RunRequest, facts: ServerPeer['facts']): Promise<RunProfile> {
    return parse(runProfileSchema, await this.#fetchJson(artifact, request, facts), 'The profile', 'protocol_error');
  }

  /** Returns `undefined` for text that is not JSON. */
  async #fetchJson(artifact: ArtifactHandle, { signal }: RunRequest, facts: ServerPeer['facts']): Promise<unknown> {
    const content = await this.#artifacts.read(artifact, { folder: facts.artifactsFolder, signal });
    try {
      return JSON.parse(content.toString());
    } catch {
      return undefined;
    }
  }
}
