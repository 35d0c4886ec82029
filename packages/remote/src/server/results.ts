import { encodeValue, type ResultOf, type RunResult } from '@mustard-sandbox/client/peer';
import type { ArtifactHandle } from '../wire/artifact.ts';
import type { RemoteProtocol } from '../wire/protocol.ts';
import type { Artifacts } from '../store/artifacts.ts';

/** A result as it goes over the wire. */
export function wireResult({
  value,
  attachmentsRead,
  warnings,
  profile,
  ...stats
}: Omit<RunResult, 'queueMs'> & { queueMs?: number | undefined }) {
  const { queueMs: _, ...rest } = stats;
  return {
    ...rest,
    value: encodeValue(value, 'The result'),
    ...(attachmentsRead.length > 0 && { attachmentsRead }),
    ...(warnings.length > 0 && { warnings }),
    ...(profile !== undefined && { profile }),
  };
}

/**
 * A result whose large parts are kept at the server, for the client to fetch.
 *
 * @param spillBytes a part with more bytes of JSON is kept
 */
export async function spilledResult(
  result: RunResult,
  { artifacts, spillBytes, profiles }: { artifacts: Artifacts; spillBytes: number; profiles: boolean },
): Promise<ResultOf<RemoteProtocol, 'sandbox/run'>> {
  const { profile, ...wire } = wireResult(result);
  const keep = async (name: string, part: unknown): Promise<{ artifact: ArtifactHandle } | undefined> => {
    const text = JSON.stringify(part);
    if (text.length <= spillBytes) return undefined;
    return { artifact: await artifacts.keep(name, 'application/json', Buffer.from(text)) };
  };
  // A number or a flag is never large.
  const mayBeLarge = typeof result.value === 'object' || typeof result.value === 'string';
  const value = (mayBeLarge ? await keep('result.json', wire.value) : undefined) ?? wire.value;
  const kept =
    profile === undefined ? undefined : ((profiles ? await keep('profile.json', profile) : undefined) ?? profile);
  return { ...wire, value, ...(kept !== undefined && { profile: kept }), queueMs: result.queueMs };
}
