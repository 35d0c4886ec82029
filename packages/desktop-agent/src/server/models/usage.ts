// Tokens: what a server says that a request took, as far as that can be, and what we estimate.
import type { Price, Usage } from '../../shared/contract/index.ts';

/** Of English, code and Chinese the same number gives an estimate that is rather too high than too low. */
const bytesPerToken = 3.5;
/** No request has so many. */
const maxTokens = 20_000_000;
/** What a server says of a request is believed as far as it is within this factor of the estimate. */
const believedWithin = 4;

/** About how many tokens a text has: without the encoding of the model, which only its server knows. */
export function estimateTokens(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / bytesPerToken);
}

/** What a server says of one request. The fields are from outside. */
export interface ToldUsage {
  inputTokens?: unknown;
  outputTokens?: unknown;
  cachedTokens?: unknown;
}

/** One request: whom it asked, what its server said, and how many tokens it has with its answer by our estimate. */
export interface Request {
  model: string;
  price: Price | null;
  told: ToldUsage;
  estimate: number;
}

/** Adds a request to what an answer has cost so far. What cannot be is as if it had not been said. */
export function withRequest(before: Usage | null, { model, price, told, estimate }: Request): Usage {
  const [input, output] = [tokensIn(told.inputTokens), tokensIn(told.outputTokens)];
  // Of an answer to something nothing is never right: servers that do not count say 0.
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

/** In US dollars. */
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
