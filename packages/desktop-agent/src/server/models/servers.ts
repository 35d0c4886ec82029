// Servers of models that speak the protocol of OpenAI, and what they serve.
import { z } from 'zod';
import { boundedFetch, ConnectionFailed } from './bounded-fetch.ts';

/** Where a server of models is. Requests add `/chat/completions` to `url`. */
export interface ServerPlace {
  url: string;
  /** The server's name for a person. */
  name: string;
}

/** Where local servers listen by default. */
export const localServers: readonly ServerPlace[] = [
  { url: 'http://127.0.0.1:11434/v1', name: 'Ollama on this machine' },
  { url: 'http://127.0.0.1:1234/v1', name: 'LM Studio on this machine' },
];

/** How long to wait for a server of this machine, in ms. One that runs answers in milliseconds. */
const probeMs = 1_000;
const maxModels = 500;

const listed = z.object({ data: z.array(z.object({ id: z.string().min(1).max(300) })).max(10_000) });

/** What a server serves, or in words for a person why that is not known. */
export interface Listing {
  ids: string[];
  problem?: string;
}

/** Where a server lists its models, and how. The default is `/models`, as with OpenAI. */
export interface ListShape {
  path?: string;
  idsIn?: (list: unknown) => string[] | undefined;
}

interface Asking extends ListShape {
  headers?: Record<string, string>;
  timeoutMs?: number;
}

/** The models that a server lists. */
export async function modelsOf(
  { url, name }: ServerPlace,
  { headers = {}, timeoutMs = probeMs, path = '/models', idsIn = idsOfOpenAi }: Asking = {},
): Promise<Listing> {
  const none = (problem: string): Listing => ({ ids: [], problem });
  try {
    const response = await boundedFetch(`${url}${path}`, { headers, signal: AbortSignal.timeout(timeoutMs) });
    if (!response.ok) return none(ofStatus(response.status, name, Object.keys(headers).length > 0));
    const ids = idsIn(await response.json().catch(() => undefined))
      // Embedding models do not answer messages.
      ?.filter((id) => !/embed/i.test(id))
      .slice(0, maxModels);
    if (ids === undefined)
      return none(`${name} did not answer with a list of models. Check the address: often it ends in /v1.`);
    return ids.length === 0 ? none(`${name} has no models.`) : { ids };
  } catch (error) {
    return none(ofConnection(error, name, timeoutMs));
  }
}

function idsOfOpenAi(list: unknown): string[] | undefined {
  const parsed = listed.safeParse(list);
  return parsed.success ? parsed.data.data.map(({ id }) => id) : undefined;
}

function ofStatus(status: number, name: string, hadKey: boolean): string {
  if (status === 401 || status === 403) {
    return hadKey ? `${name} does not accept the key (${status}).` : `${name} needs a key (${status}).`;
  }
  if (status === 404) return `${name} has no list of models at this address (404). Often the address ends in /v1.`;
  return `${name} answered with an error (${status}) when it was asked for its models.`;
}

function ofConnection(error: unknown, name: string, timeoutMs: number): string {
  if (error instanceof ConnectionFailed && error.reason === 'refused') {
    return `Nothing answers at ${name}: the connection was refused. Start the server, or correct the address.`;
  }
  const { name: kind, cause } = error as { name?: unknown; cause?: { code?: unknown; message?: unknown } };
  if (kind === 'TimeoutError') return `${name} did not answer within ${timeoutMs / 1000} s.`;
  if (cause?.code === 'ENOTFOUND' || cause?.code === 'EAI_AGAIN') {
    return `No machine with the name ${name} was found. Correct the address, or check that this machine is online.`;
  }
  if (cause?.message === 'unexpected redirect') {
    return `${name} redirects requests to another address, and a key would be sent there too. Enter that address instead.`;
  }
  return `${name} could not be asked for its models: the connection failed.`;
}

/**
 * The address that a person gave, as requests need it. It is `undefined` when there is none or it is not an address.
 */
export function serverOf(baseUrl: string): ServerPlace | undefined {
  const text = baseUrl.trim();
  if (text === '' || !URL.canParse(text)) return undefined;
  const url = new URL(text);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return undefined;
  return { url: `${url.origin}${url.pathname}`.replace(/\/+$/, ''), name: url.host };
}

export function bearer(key: string | null): Record<string, string> {
  return key === null ? {} : { authorization: `Bearer ${key}` };
}
