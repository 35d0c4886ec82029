// Models, who serves them, and what they cost.
import * as z from 'zod';

/** The providers that need only a key, in the order of the settings. */
export const providerName = z.enum(['anthropic', 'openai', 'google']);
export type ProviderName = z.infer<typeof providerName>;

export const key = z.string().max(1000);
/** Where a key is kept. */
export const keyStorage = z.enum(['keychain', 'file']);
export type KeyStorage = z.infer<typeof keyStorage>;

/** `openai-compatible:http://127.0.0.1:11434/v1:qwen3`, `anthropic:…`, or `tour`. */
export const modelId = z.string().min(1).max(3000);

/** US dollars for a million tokens. */
const dollars = z.number().min(0).max(100_000);
const price = z.strictObject({
  input: dollars,
  output: dollars,
  /** The price of tokens from the server's cache. */
  cached: dollars,
});
export type Price = z.infer<typeof price>;

const effort = z.enum(['low', 'medium', 'high']);
export type Effort = z.infer<typeof effort>;

/** What a person sets for a model. `null` leaves it to the server, or to what is known about the model. */
export const modelOptions = z.strictObject({
  /** How many tokens a request and its answer may have together. */
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
  /** The name of who serves it, such as `Ollama on this machine`. */
  provider: z.string(),
  /** What the person has set, or else what is known; `null` when it is unknown. */
  contextWindow: z.int().nullable(),
  price: price.nullable(),
  /** What the person has set; `null` for nothing. */
  options: modelOptions.nullable(),
});
export type Model = z.infer<typeof model>;

export const serverId = z.string().regex(/^[\w-]{1,64}$/);

/** Why a provider with a key, or a server by its id, gives no models. */
export const modelProblem = z.strictObject({ provider: z.string(), text: z.string() });
export type ModelProblem = z.infer<typeof modelProblem>;

const shared = {
  /** The name for a person, such as `Office`. */
  name: z.string().trim().min(1, 'Give the server a name.').max(100),
  /** The names of models that the server does not list. */
  models: z.array(z.string().trim().min(1).max(300)).max(200),
};

/** A server with OpenAI's protocol, as a person enters it. */
export const modelServerDraft = z.strictObject({
  ...shared,
  url: z.string().max(2000),
  /** If it is absent, the stored key stays. `null` removes it. */
  key: key.nullable().optional(),
  /** The headers by name. `null` keeps the stored value. */
  headers: z
    .record(z.string().max(200), z.string().max(4_000).nullable())
    .refine((given) => Object.keys(given).length <= 50, 'There are more than 50 headers.'),
});
export type ModelServerDraft = z.infer<typeof modelServerDraft>;

/** A server as the page gets it: `headers` are only names, and `key` is only where the key is stored. */
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
  /** The model of the requests. */
  model: modelId,
  requests: z.int().min(1),
  /** For how many requests the server gave no numbers, or impossible ones. The numbers below do not include these. */
  untold: z.int().min(0),
  /** Including tokens from the server's cache. */
  input: tokens,
  cached: tokens,
  output: tokens,
  /** In US dollars, at the price of that time; `null` when the model had no price. */
  cost: z.number().min(0).nullable(),
  /** The tokens of the last request and its answer, which the next request has too. */
  context: tokens,
});
export type Usage = z.infer<typeof usage>;
