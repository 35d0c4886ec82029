import type { RelayedResult } from '@mustard-sandbox/client/peer';
import type { Result, ResultOf, RunProfile } from '@mustard-sandbox/protocol';
import type { ArtifactHandle } from '../wire/artifact.ts';
import type { RemoteProtocol } from '../wire/protocol.ts';
import type { Artifacts } from '../store/artifacts.ts';

type RemoteResult = ResultOf<RemoteProtocol, 'sandbox/run'>;

/** The part of a sidecar's answer that is passed on: everything except its memory. */
export function wireResult({ answer }: RelayedResult): Omit<Result<'sandbox/run'>, 'residentBytes'> {
  const { residentBytes: _, ...result } = answer;
  return result;
}

/**
 * A result whose large parts are kept at the server, for the client to fetch.
 *
 * @param spillBytes a part with more bytes of JSON is kept
 */
export async function spilledResult(
  {
    value,
    profile,
    ...rest
  }: RemoteResult & { value: Result<'sandbox/run'>['value']; profile?: RunProfile | undefined },
  { artifacts, spillBytes, profiles }: { artifacts: Artifacts; spillBytes: number; profiles: boolean },
): Promise<RemoteResult> {
  const keep = async (name: string, part: unknown): Promise<{ artifact: ArtifactHandle } | undefined> => {
    const text = JSON.stringify(part);
    if (text.length <= spillBytes) return undefined;
    const artifact = await artifacts.keep(name, 'application/json', Buffer.from(text));
    // The run is over, so on a full disk its result is sent inline. Every message has room for it.
    return artifact && { artifact };
  };
  const kept =
    profile === undefined ? undefined : ((profiles ? await keep('profile.json', profile) : undefined) ?? profile);
  return {
    ...rest,
    value: (await keep('result.json', value)) ?? value,
    ...(kept !== undefined && { profile: kept }),
  };
}
