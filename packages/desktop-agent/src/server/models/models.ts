// Which models there are, and how each is opened.
import type { LanguageModel } from 'ai';
import {
  AgentError,
  type Model,
  type ModelOptions,
  type ModelProblem,
  type ProviderName,
} from '../../shared/contract/index.ts';
import { boundedFetch } from './bounded-fetch.ts';
import { cloudNames, clouds, isCloudName } from './clouds.ts';
import { knownOf } from './known.ts';
import type { StoredServer } from './server-store.ts';
import { localServers, modelsOf, type ServerPlace } from './servers.ts';
import { withoutBadUsage } from './usage-stream.ts';

/** What a list or an id says about a model, without what is set for it or known about it. */
type Named = Pick<Model, 'id' | 'label' | 'provider'>;

export const tourModel: Named = { id: 'tour', label: 'Tour', provider: 'A guided first look, without a model' };

/** A model that can be asked. */
export interface OpenModel extends Model {
  model: LanguageModel;
  /** The key and the headers of its requests. No message shows them. */
  secrets: readonly string[];
}

/** How long a list that needs the internet may take, in ms. */
const cloudListMs = 5_000;

export interface ModelsOptions {
  /** The servers that the person has added. */
  servers: () => Promise<readonly StoredServer[]>;
  /** What the person has set for models, by their ids. */
  options: () => Promise<ReadonlyMap<string, ModelOptions>>;
  /** The key of a provider; `null` without one. */
  key: (provider: ProviderName) => Promise<string | null>;
  /** The tour, which needs no server. */
  tour: () => Promise<LanguageModel>;
  /** Where to look for local servers. The default is Ollama and LM Studio at their usual ports. */
  local?: readonly ServerPlace[];
  /** Other addresses of providers, by name. */
  urls?: Partial<Record<ProviderName, string>>;
}

/** What one server or provider lists, and why a list is missing. */
interface Found<One = Named> {
  models: One[];
  problems: ModelProblem[];
}

/** A server that can be asked. */
type Server = ServerPlace & Partial<StoredServer>;

/** The models that there are. */
export class Models {
  readonly #options: ModelsOptions;

  constructor(options: ModelsOptions) {
    this.#options = options;
  }

  /** All models that answer now, those of this machine first and the tour last, and why a server or provider gives none. */
  async list(): Promise<Found<Model>> {
    const [options, ...found] = await Promise.all([
      this.#options.options(),
      this.#served(),
      ...cloudNames.map((name) => this.#ofCloud(name)),
    ]);
    return {
      models: [...found.flatMap(({ models }) => models), tourModel].map((model) => withOptions(model, options)),
      problems: found.flatMap(({ problems }) => problems),
    };
  }

  /** How many tokens a request to a model may have, as far as that is known. It sends no request. */
  async windowOf(id: string): Promise<number | null> {
    const named = { id, label: id.slice(id.indexOf(':') + 1), provider: '' };
    return withOptions(named, await this.#options.options()).contextWindow;
  }

  /** The first model that answers, for a chat that names none. */
  async first(): Promise<string> {
    const [local] = (await this.#served()).models;
    const [first] = local === undefined ? (await this.list()).models : [local];
    return (first ?? tourModel).id;
  }

  /** Whether there is only the tour, because no server answers and no key is set. It asks only servers, not providers. */
  async hasNone(): Promise<boolean> {
    const keys = await Promise.all(cloudNames.map((name) => this.#options.key(name)));
    return keys.every((key) => key === null) && (await this.#served()).models.length === 0;
  }

  async #served(): Promise<Found> {
    const found = await Promise.all((await this.#servers()).map((server) => this.#ofServer(server)));
    return {
      models: found.flatMap(({ models }) => models),
      problems: found.flatMap(({ problems }) => problems),
    };
  }

  /** @throws {AgentError} `not_found` when no model has the id; `model` when there is no key for it */
  async open(id: string): Promise<OpenModel> {
    if (id === tourModel.id) return await this.#opened(tourModel, await this.#options.tour(), []);
    const [kind = '', ...rest] = id.split(':');
    const name = rest.join(':');
    if (kind === 'openai-compatible') return await this.#openServer(id, name);
    if (isCloudName(kind) && name !== '') return await this.#openCloud(id, kind, name);
    throw new AgentError('not_found', `There is no model ${JSON.stringify(id)}. Choose another one.`);
  }

  /** The person's servers come first, so that their settings hold for an address that would also be looked at by default. */
  async #servers(): Promise<Server[]> {
    const { local = localServers, servers } = this.#options;
    const own = await servers();
    return [...own, ...local.filter(({ url }) => !own.some((one) => one.url === url))];
  }

  async #ofServer(server: Server): Promise<Found> {
    const { id, url, models: typed = [], headers = {} } = server;
    const isFar = id !== undefined && !/^https?:\/\/(?:127\.|localhost[:/]|\[::1\])/.test(url);
    const { ids, problem } = await modelsOf(server, { headers, ...(isFar && { timeoutMs: cloudListMs }) });
    const models = [...new Set([...typed, ...ids])].map((name) => toModel(server, name));
    // A person who added no server need not know that none runs here, and one who typed the names of models needs no list.
    const isTold = id !== undefined && problem !== undefined && typed.length === 0;
    return { models, problems: isTold ? [{ provider: id, text: problem }] : [] };
  }

  async #ofCloud(provider: ProviderName): Promise<Found> {
    const key = await this.#options.key(provider);
    if (key === null) return { models: [], problems: [] };
    const { name, url, headers, chats, list } = clouds[provider];
    const { ids, problem } = await modelsOf(
      { url: this.#options.urls?.[provider] ?? url, name },
      { headers: headers(key), timeoutMs: cloudListMs, ...list },
    );
    return {
      models: ids.filter(chats).map((id) => ({ id: `${provider}:${id}`, label: id, provider: name })),
      problems: problem === undefined ? [] : [{ provider, text: problem }],
    };
  }

  async #openServer(id: string, name: string): Promise<OpenModel> {
    const servers = (await this.#servers()).filter(({ url }) => name.startsWith(`${url}:`));
    // The longest address is taken, because `http://office` is also the beginning of `http://office:8080`.
    const server = servers.sort((a, b) => b.url.length - a.url.length)[0];
    // Only servers of the list are asked, because the id comes from the page and would otherwise choose the address.
    if (server === undefined) {
      throw new AgentError('not_found', 'The server of this model is no longer in the settings. Choose another model.');
    }
    const label = name.slice(server.url.length + 1);
    const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible');
    const provider = createOpenAICompatible({
      name: 'openai-compatible',
      baseURL: server.url,
      headers: { ...server.headers },
      includeUsage: true,
      fetch: async (input, init) => withoutBadUsage(await boundedFetch(input, init)),
    });
    return await this.#opened({ id, label, provider: server.name }, provider.chatModel(label), server.secrets ?? []);
  }

  async #openCloud(id: string, provider: ProviderName, label: string): Promise<OpenModel> {
    const { name, url, open } = clouds[provider];
    const apiKey = await this.#options.key(provider);
    if (apiKey === null) throw new AgentError('model', `There is no key for ${name}. Add one in Settings → Models.`);
    const settings = { apiKey, baseURL: this.#options.urls?.[provider] ?? url, fetch: boundedFetch };
    return await this.#opened({ id, label, provider: name }, (await open(settings))(label), [apiKey]);
  }

  async #opened(named: Named, model: LanguageModel, secrets: readonly string[]): Promise<OpenModel> {
    return { ...withOptions(named, await this.#options.options()), model, secrets };
  }
}

function withOptions({ id, label, provider }: Named, all: ReadonlyMap<string, ModelOptions>): Model {
  const options = all.get(id) ?? null;
  const known = isCloudName(id.split(':')[0] ?? '') ? knownOf(label) : undefined;
  return {
    id,
    label,
    provider,
    contextWindow: options?.contextWindow ?? known?.contextWindow ?? null,
    price: options?.price ?? known?.price ?? null,
    options,
  };
}

function toModel({ url, name }: ServerPlace, id: string): Named {
  return { id: `openai-compatible:${url}:${id}`, label: id, provider: name };
}
