import type { Effort, ModelOptions } from '../../shared/contract/index.ts';

/** What a request to a model may have beside its messages. */
export interface CallOptions {
  maxOutputTokens?: number;
  temperature?: number;
  providerOptions?: Record<string, Record<string, string | Record<string, string>>>;
}

/** What a person has set for a model, as the SDK takes it. */
export function callOptionsOf(options: ModelOptions | null): CallOptions {
  if (options === null) return {};
  const { maxTokens, temperature, effort } = options;
  return {
    ...(maxTokens !== null && { maxOutputTokens: maxTokens }),
    ...(temperature !== null && { temperature }),
    ...(effort !== null && { providerOptions: byProvider(effort) }),
  };
}

/** The providers have different words for it, and each reads only what is under its own name. */
function byProvider(effort: Effort): NonNullable<CallOptions['providerOptions']> {
  return {
    anthropic: { effort },
    openai: { reasoningEffort: effort },
    google: { thinkingConfig: { thinkingLevel: effort } },
    openaiCompatible: { reasoningEffort: effort },
  };
}
