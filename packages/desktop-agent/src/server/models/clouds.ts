import type { LanguageModel } from 'ai';
import type { ProviderName } from '../../shared/contract/index.ts';
import type { ListShape } from './servers.ts';

interface Settings {
  apiKey: string;
  baseURL: string;
  fetch: typeof fetch;
}

interface Cloud {
  name: string;
  url: string;
  headers: (key: string) => Record<string, string>;
  /** Whether the model with this id can chat. */
  chats: (id: string) => boolean;
  /** The shape of its list of models, where that differs from OpenAI's. */
  list?: ListShape;
  /** Loads its SDK at the first use. */
  open: (settings: Settings) => Promise<(id: string) => LanguageModel>;
}

/** The providers that need a key. */
export const clouds: Record<ProviderName, Cloud> = {
  anthropic: {
    name: 'Anthropic',
    url: 'https://api.anthropic.com/v1',
    headers: (key) => ({ 'x-api-key': key, 'anthropic-version': '2023-06-01' }),
    chats: () => true,
    open: async (settings) => (await import('@ai-sdk/anthropic')).createAnthropic(settings),
  },
  openai: {
    name: 'OpenAI',
    url: 'https://api.openai.com/v1',
    headers: (key) => ({ authorization: `Bearer ${key}` }),
    chats: (id) => /^(?:gpt-|o\d|chatgpt-)/.test(id) && !/audio|realtime|image|transcribe|tts|search|instruct/.test(id),
    open: async (settings) => (await import('@ai-sdk/openai')).createOpenAI(settings),
  },
  google: {
    name: 'Google',
    url: 'https://generativelanguage.googleapis.com/v1beta',
    headers: (key) => ({ 'x-goog-api-key': key }),
    chats: (id) => id.includes('gemini') && !/image|tts|live|audio/.test(id),
    list: {
      path: '/models?pageSize=1000',
      idsIn: (list) => {
        const { models } = (list ?? {}) as { models?: { name?: unknown }[] };
        if (!Array.isArray(models)) return undefined;
        return models.flatMap(({ name }) => (typeof name === 'string' ? [name.replace(/^models\//, '')] : []));
      },
    },
    open: async (settings) => (await import('@ai-sdk/google')).createGoogleGenerativeAI(settings),
  },
};

export const cloudNames = Object.keys(clouds) as ProviderName[];

export function isCloudName(name: string): name is ProviderName {
  return Object.hasOwn(clouds, name);
}
