// Which models there are, and how each is opened.
import type { LanguageModel } from 'ai';
import { AgentError, type Model, type ModelProblem, type ProviderName } from '../../shared/contract/index.ts';
import { boundedFetch } from './bounded-fetch.ts';
import { cloudNames, clouds, isCloudName, type CloudName } from './clouds.ts';
import { localServers, modelsOf, serverOf, type ModelServer } from './servers.ts';

export const tourModel: Model = { id: 'tour', label: 'Tour', provider: 'A guided first look, without a model' };

/** A model that can be asked. */
export interface OpenModel extends Model {
  model: LanguageModel;
  /** The key that it is asked with; `null` without one. */
  key: string | null;
}

/** A list that needs the internet. */
const cloudListMs = 5_000;

export interface ModelsOptions {
  /** What the person set. */
  baseUrl: () => Promise<string>;
  /** A model of that server which its list need not have; empty: none. */
  serverModel?: () => Promise<string>;
  /** The key of a provider; `null` without one. */
  key: (provider: ProviderName) => Promise<string | null>;
  /** The tour, which needs no server. */
  tour: () => Promise<LanguageModel>;
  /** Where local servers are looked for. Default: Ollama and LM Studio at their usual ports. */
  local?: readonly ModelServer[];
  /** Other addresses of providers, by name. */
  urls?: Partial<Record<CloudName, string>>;
}

/** What one of them has. */
interface Found {
  models: Model[];
  problems: ModelProblem[];
}

/** The models that there are. */
export class Models {
  readonly #options: ModelsOptions;

  constructor(options: ModelsOptions) {
    this.#options = options;
  }

  /** All that answer now: those of this machine first, the tour last. And why what the person has set gives none. */
  async list(): Promise<Found> {
    const found = await Promise.all([this.#served(), ...cloudNames.map((name) => this.#ofCloud(name))]);
    return {
      models: [...found.flatMap(({ models }) => models), tourModel],
      problems: found.flatMap(({ problems }) => problems),
    };
  }

  /** What a chat that names no model gets: the first that answers. */
  async first(): Promise<string> {
    const [local] = (await this.#served()).models;
    const [first] = local === undefined ? (await this.list()).models : [local];
    return (first ?? tourModel).id;
  }

  /** Whether there is nothing but the tour: no server that answers and no key. Asks nothing of the internet. */
  async hasNone(): Promise<boolean> {
    const keys = await Promise.all(cloudNames.map((name) => this.#options.key(name)));
    return keys.every((key) => key === null) && (await this.#served()).models.length === 0;
  }

  async #served(): Promise<Found> {
    const { baseUrl, serverModel } = this.#options;
    const text = await baseUrl();
    const own = serverOf(text);
    const servers = await this.#servers();
    const found = await Promise.all(servers.map((server) => this.#ofServer(server, server.url === own?.url)));
    const isNoAddress = own === undefined && text.trim() !== '';
    const problem = isNoAddress ? noAddress : found.find(({ isOwn }) => isOwn)?.problem;
    const models = found.flatMap(({ models }) => models);
    const typed = own === undefined ? '' : ((await serverModel?.()) ?? '').trim();
    const added = own !== undefined && typed !== '' ? [toModel(own, typed)] : [];
    return {
      models: [...added.filter(({ id }) => !models.some((one) => one.id === id)), ...models],
      problems: problem === undefined ? [] : [{ provider: 'openai-compatible', text: problem }],
    };
  }

  /** @throws {AgentError} `not_found` for an id that is no model's; `model` when there is no key for it */
  async open(id: string): Promise<OpenModel> {
    if (id === tourModel.id) return { ...tourModel, model: await this.#options.tour(), key: null };
    const [kind = '', ...rest] = id.split(':');
    const name = rest.join(':');
    if (kind === 'openai-compatible') return await this.#openServer(id, name);
    if (isCloudName(kind) && name !== '') return await this.#openCloud(id, kind, name);
    throw new AgentError('not_found', `There is no model ${JSON.stringify(id)}. Choose another one.`);
  }

  async #servers(): Promise<ModelServer[]> {
    const { local = localServers, baseUrl } = this.#options;
    const own = serverOf(await baseUrl());
    return own === undefined || local.some(({ url }) => url === own.url) ? [...local] : [own, ...local];
  }

  async #ofServer(
    server: ModelServer,
    isOwn: boolean,
  ): Promise<{ models: Model[]; problem: string | undefined; isOwn: boolean }> {
    const headers = bearer(await this.#serverKey(server));
    const isFar = isOwn && !/^https?:\/\/(?:127\.|localhost[:/]|\[::1\])/.test(server.url);
    const { ids, problem } = await modelsOf(server, { headers, ...(isFar && { timeoutMs: cloudListMs }) });
    return { models: ids.map((id) => toModel(server, id)), problem, isOwn };
  }

  async #ofCloud(provider: CloudName): Promise<Found> {
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
    const server = (await this.#servers()).find(({ url }) => name.startsWith(`${url}:`));
    // Only servers of the list: an id comes from the page, and a request goes where it says.
    if (server === undefined) {
      throw new AgentError(
        'not_found',
        'The server of this model is not in the settings any more. Choose another model.',
      );
    }
    const label = name.slice(server.url.length + 1);
    const key = await this.#serverKey(server);
    const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible');
    const provider = createOpenAICompatible({
      name: 'openai-compatible',
      baseURL: server.url,
      headers: bearer(key),
      fetch: boundedFetch,
    });
    return { id, label, provider: server.name, model: provider.chatModel(label), key };
  }

  /** A key is for the server that the person set, and for no other. */
  async #serverKey({ url }: ModelServer): Promise<string | null> {
    if (serverOf(await this.#options.baseUrl())?.url !== url) return null;
    return await this.#options.key('openai-compatible');
  }

  async #openCloud(id: string, provider: CloudName, label: string): Promise<OpenModel> {
    const { name, url, open } = clouds[provider];
    const apiKey = await this.#options.key(provider);
    if (apiKey === null) throw new AgentError('model', `There is no key for ${name}. Add one in Settings → Models.`);
    const settings = { apiKey, baseURL: this.#options.urls?.[provider] ?? url, fetch: boundedFetch };
    return { id, label, provider: name, model: (await open(settings))(label), key: apiKey };
  }
}

function bearer(key: string | null): Record<string, string> {
  return key === null ? {} : { authorization: `Bearer ${key}` };
}

const noAddress = 'This is no address of a server. Write one that begins with http:// or https://.';

function toModel({ url, name }: ModelServer, id: string): Model {
  return { id: `openai-compatible:${url}:${id}`, label: id, provider: name };
}
