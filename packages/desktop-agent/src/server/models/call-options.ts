import type { Effort, ModelOptions } from '../../shared/contract/index.ts';

/** What a request to a model may say beside its messages. */
export interface CallOptions {
  maxOutputTokens?: number;
  temperature?: number;
  providerOptions?: Record<string, Record<string, string | Record<string, string>>>;
}

/** What a person has set of a model, as the SDK takes it. */
export function callOptionsOf(options: ModelOptions | null): CallOptions {
  if (options === null) return {};
  const { maxTokens, temperature, effort } = options;
  return {
    ...(maxTokens !== null && { maxOutputTokens: maxTokens }),
    ...(temperature !== null && { temperature }),
    ...(effort !== null && { providerOptions: byProvider(effort) }),
  };
}

/** Each provider has its own word, and reads only what stands under its name. */
function byProvider(effort: Effort): NonNullable<CallOptions['providerOptions']> {
  return {
    anthropic: { effort },
    openai: { reasoningEffort: effort },
    google: { thinkingConfig: { thinkingLevel: effort } },
    openaiCompatible: { reasoningEffort: effort },
  };
}
