// Servers of models that speak the protocol of OpenAI, and what they serve.
import { z } from 'zod';
import { boundedFetch } from './bounded-fetch.ts';

/** A server of models. `url` ends before `/chat/completions`. */
export interface ModelServer {
  url: string;
  /** For a person. */
  name: string;
}

/** Where local servers listen unless they were told otherwise. */
export const localServers: readonly ModelServer[] = [
  { url: 'http://127.0.0.1:11434/v1', name: 'Ollama on this machine' },
  { url: 'http://127.0.0.1:1234/v1', name: 'LM Studio on this machine' },
];

/** A server of this machine answers in milliseconds, or is not there. */
const probeMs = 1_000;
const maxModels = 500;

const listed = z.object({ data: z.array(z.object({ id: z.string().min(1).max(300) })).max(10_000) });

/** The ids of what a server serves; none where nothing answers. */
export async function modelsOf(
  { url }: ModelServer,
  { headers = {}, timeoutMs = probeMs }: { headers?: Record<string, string>; timeoutMs?: number } = {},
): Promise<string[]> {
  try {
    const response = await boundedFetch(`${url}/models`, { headers, signal: AbortSignal.timeout(timeoutMs) });
    if (!response.ok) return [];
    const parsed = listed.safeParse(await response.json());
    if (!parsed.success) return [];
    // They answer no question.
    return parsed.data.data
      .map(({ id }) => id)
      .filter((id) => !/embed/i.test(id))
      .slice(0, maxModels);
  } catch {
    return [];
  }
}

/**
 * The address that a person gave, as requests need it; `undefined` for none and for what is no address.
 */
export function serverOf(baseUrl: string): ModelServer | undefined {
  const text = baseUrl.trim();
  if (text === '' || !URL.canParse(text)) return undefined;
  const url = new URL(text);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return undefined;
  return { url: `${url.origin}${url.pathname}`.replace(/\/+$/, ''), name: url.host };
}
