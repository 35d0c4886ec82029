// Models, who serves them, and what they cost.
import * as z from 'zod';

/** Who needs only a key. In the order of the settings. */
export const providerName = z.enum(['anthropic', 'openai', 'google']);
export type ProviderName = z.infer<typeof providerName>;

export const key = z.string().max(1000);
/** Where a key is kept. */
export const keyStorage = z.enum(['keychain', 'file']);
export type KeyStorage = z.infer<typeof keyStorage>;

/** `openai-compatible:http://127.0.0.1:11434/v1:qwen3`, `anthropic:…`, or `tour`. */
export const modelId = z.string().min(1).max(3000);

/** In US dollars, of a million tokens. */
const dollars = z.number().min(0).max(100_000);
const price = z.strictObject({
  input: dollars,
  output: dollars,
  /** Of what the server had in its cache. */
  cached: dollars,
});
export type Price = z.infer<typeof price>;

const effort = z.enum(['low', 'medium', 'high']);
export type Effort = z.infer<typeof effort>;

/** What a person sets of a model. `null`: what the server does by itself, or what is known of the model. */
export const modelOptions = z.strictObject({
  /** How many tokens a request may have with its answer. */
  contextWindow: z.int().min(1_000).max(100_000_000).nullable(),
  /** How many tokens one answer may have. */
  maxTokens: z.int().min(1).max(10_000_000).nullable(),
  temperature: z.number().min(0).max(2).nullable(),
  effort: effort.nullable(),
  price: price.nullable(),
});
export type ModelOptions = z.infer<typeof modelOptions>;

export const model = z.strictObject({
  id: modelId,
  label: z.string(),
  /** Who serves it, for a person: `Ollama on this machine`. */
  provider: z.string(),
  /** What holds of it: what the person has set, else what is known. `null`: not known. */
  contextWindow: z.int().nullable(),
  price: price.nullable(),
  /** What the person has set; `null`: nothing. */
  options: modelOptions.nullable(),
});
export type Model = z.infer<typeof model>;

export const serverId = z.string().regex(/^[\w-]{1,64}$/);

/** Why a provider that the person has set gives no models: that of a key, or the id of a server. */
export const modelProblem = z.strictObject({ provider: z.string(), text: z.string() });
export type ModelProblem = z.infer<typeof modelProblem>;

const shared = {
  /** For a person: `Office`. */
  name: z.string().trim().min(1, 'Give the server a name.').max(100),
  /** Models that it does not list, by name. */
  models: z.array(z.string().trim().min(1).max(300)).max(200),
};

/** A server with the protocol of OpenAI, as a person enters it. */
export const modelServerDraft = z.strictObject({
  ...shared,
  url: z.string().max(2000),
  /** Absent: the one that is stored stays. `null`: there is none from now on. */
  key: key.nullable().optional(),
  /** By name. `null`: the value that is stored stays. */
  headers: z
    .record(z.string().max(200), z.string().max(4_000).nullable())
    .refine((given) => Object.keys(given).length <= 50, 'There are more than 50 headers.'),
});
export type ModelServerDraft = z.infer<typeof modelServerDraft>;

/** As the page knows it: `headers` are names, and of the key only where it is. */
export const modelServer = z.strictObject({
  id: serverId,
  ...shared,
  url: z.string(),
  key: keyStorage.nullable(),
  headers: z.array(z.string()),
});
export type ModelServer = z.infer<typeof modelServer>;

const tokens = z.int().min(0);

/** What the requests of an answer cost. */
export const usage = z.strictObject({
  /** Whom it asked. */
  model: modelId,
  requests: z.int().min(1),
  /** Of how many of them the server did not say what they cost, or said what cannot be. The numbers below lack them. */
  untold: z.int().min(0),
  /** With what came from the cache of the server. */
  input: tokens,
  cached: tokens,
  output: tokens,
  /** In US dollars, at the price of then; `null`: the model had none. */
  cost: z.number().min(0).nullable(),
  /** Tokens of the last request with its answer, which the next one has too. */
  context: tokens,
});
export type Usage = z.infer<typeof usage>;
