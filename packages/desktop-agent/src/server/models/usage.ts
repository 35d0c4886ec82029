// How many tokens a request took: what its server says, if that is plausible, and otherwise our estimate.
import type { Price, Usage } from '../../shared/contract/index.ts';

/** For English, code and Chinese alike, this number gives an estimate that is too high rather than too low. */
const bytesPerToken = 3.5;
/** No request has this many tokens. */
const maxTokens = 20_000_000;
/** The number of a server is believed if it is within this factor of our estimate. */
const believedWithin = 4;

/** About how many tokens a text has. Only the server knows the model's encoding, so this is an estimate. */
export function estimateTokens(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / bytesPerToken);
}

/** What a server says about one request. It is not validated yet. */
export interface ToldUsage {
  inputTokens?: unknown;
  outputTokens?: unknown;
  cachedTokens?: unknown;
}

/** One request: its model, what the server said, and our estimate of the tokens of the request and the answer. */
export interface Request {
  model: string;
  price: Price | null;
  told: ToldUsage;
  estimate: number;
}

/** Adds a request to what an answer has cost so far. Impossible numbers of the server are ignored. */
export function withRequest(before: Usage | null, { model, price, told, estimate }: Request): Usage {
  const [input, output] = [tokensIn(told.inputTokens), tokensIn(told.outputTokens)];
  // A request and its answer are never empty, so 0 comes from a server that does not count.
  const isTold = input !== undefined && output !== undefined && input > 0;
  const cached = isTold ? Math.min(tokensIn(told.cachedTokens) ?? 0, input) : 0;
  const used = isTold ? { input, output, cached } : { input: 0, output: 0, cached: 0 };
  const total = used.input + used.output;
  const isLikely = isTold && total <= estimate * believedWithin && total >= estimate / believedWithin;
  return {
    model,
    requests: (before?.requests ?? 0) + 1,
    untold: (before?.untold ?? 0) + (isTold ? 0 : 1),
    input: (before?.input ?? 0) + used.input,
    cached: (before?.cached ?? 0) + used.cached,
    output: (before?.output ?? 0) + used.output,
    cost: price === null ? (before?.cost ?? null) : (before?.cost ?? 0) + costOf(used, price),
    context: isLikely ? total : estimate,
  };
}

/** The cost in US dollars. */
export function costOf(
  { input, output, cached }: { input: number; output: number; cached: number },
  price: Price,
): number {
  return ((input - cached) * price.input + cached * price.cached + output * price.output) / 1_000_000;
}

function tokensIn(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 && value <= maxTokens
    ? value
    : undefined;
}
