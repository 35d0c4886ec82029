// Servers of models, what is set of a model, and what answers cost.
import { counted } from './plural.ts';

const tokens = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 });
const exact = new Intl.NumberFormat('en');
/** An amount of a cent or more as money, and a smaller one by its significant digits. */
const dollars = (cost: number): string =>
  new Intl.NumberFormat('en', {
    style: 'currency',
    currency: 'USD',
    ...(cost > 0 && cost < 0.01 ? { maximumSignificantDigits: 1 } : { maximumFractionDigits: 2 }),
  }).format(cost);

interface Used {
  requests: number;
  untold: number;
  input: number;
  cached: number;
  output: number;
  cost: number | null;
}

const usageWords = ({ requests, untold, input, cached, output, cost }: Used): string => {
  const parts = [
    `${exact.format(input)} tokens sent`,
    ...(cached > 0 ? [`${exact.format(cached)} of them from the cache of the server`] : []),
    `${exact.format(output)} tokens answered`,
    `in ${counted(requests, 'request')}`,
    ...(cost === null ? ['no price is set'] : [`${dollars(cost)} by the price that is set`]),
    ...(untold > 0 ? [`the server did not say what ${counted(untold, 'request')} took`] : []),
  ];
  return `${parts.join(', ')}.`;
};

export const modelTexts = {
  // Servers.
  modelServers: 'Servers',
  modelServer: 'Model server',
  modelServersHint:
    'Any server with an OpenAI-compatible API. Ollama and LM Studio on this machine are found automatically.',
  modelServerNameHint: 'Shown beside its models.',
  baseUrlHint: 'Such as http://127.0.0.1:8080/v1.',
  modelServerKey: 'Key',
  modelServerKeyHint: 'Leave it empty if the server needs none.',
  modelServerKeyRemove: 'Remove the stored key',
  modelServerModels: 'Model names, one per line',
  modelServerModelsHint: 'Only for models that the server does not list.',
  modelServerHeadersHint: 'Sent with each request. Values are stored where keys are, and never shown again.',
  modelServerHas: ({ key, headers, models }: { key: unknown; headers: readonly string[]; models: readonly string[] }) =>
    [
      key === null ? 'No key' : 'Key stored',
      ...(headers.length > 0 ? [counted(headers.length, 'header')] : []),
      ...(models.length > 0 ? [`${counted(models.length, 'model')} by name`] : []),
    ].join(', '),
  modelServerRemoveBody: 'Its key and headers are removed. Chats that use it need another model.',

  // What is set of a model.
  options: 'Model limits and prices',
  optionsHint: 'Empty fields use the server’s own values. An answer costs what the price was when it was made.',
  optionsChoose: 'Choose a model',
  optionsSet: ' (set by you)',
  optionLabels: {
    contextWindow: 'Context window',
    maxTokens: 'Maximum tokens',
    temperature: 'Temperature',
    input: 'Price of input',
    output: 'Price of output',
    cached: 'Price of cached input',
  },
  optionHints: {
    contextWindow: 'Tokens of a request with its answer.',
    maxTokens: 'Tokens of one answer.',
    temperature: 'From 0 to 2.',
  },
  effort: 'Effort',
  efforts: { '': 'Server default', low: 'Low', medium: 'Medium', high: 'High' },
  priceHint: 'Prices are in US dollars per million tokens.',
  priceHalf: 'A price needs both input and output. Fill in both, or neither.',
  optionWrong: (label: string) => `“${label}” is not a number.`,
  optionsReset: 'Reset to defaults',
  optionsSaved: 'Saved',
  largeRequest: 'Ask before a large request',
  largeRequestHint: 'Asks when a request has more tokens than this. 0 turns it off.',

  // What answers cost.
  usage: (used: Used) =>
    `${tokens.format(used.input + used.output)} tokens${used.cost === null ? '' : `, ${dollars(used.cost)}`}`,
  usageWords,
  chatUsage: (used: Used) => `This chat: ${usageWords(used)}`,
  contextMeter: 'Context window',
  contextOf: (used: number, window: number) =>
    `${tokens.format(used)} of ${tokens.format(window)} tokens, ${Math.round((100 * used) / window)} %`,
  compact: 'Compact',
  compactHint: 'The model writes a summary, and gets it in place of the messages so far. All of them stay in the chat.',
  compactChat: 'Compact this chat into a summary',
  summaryNow: (messages: number) => `Summing up ${counted(messages, 'message')} to make room…`,
  summary: (messages: number, before: number, after: number) =>
    `Summary of ${counted(messages, 'message')}: ${tokens.format(before)} tokens became ${tokens.format(after)}`,
  summaryHint:
    'From here on the model gets this in place of the messages above. They stay in the chat and in its export.',
  summaryStopped: 'You stopped the summary. The model still gets the whole chat.',
  summaryFailed: 'The chat was not compacted',
  summaryCut: 'The agent ended while the summary was made. The model still gets the whole chat.',

  // A large request.
  requestTitle: 'Send a large request?',
  requestBody: (model: string) => `This is what the next request to ${model} would hold. Nothing has been sent yet.`,
  requestTokens: (used: number) => `About ${exact.format(used)} tokens`,
  requestWindow: (window: number) =>
    `More than the context window of ${exact.format(window)} tokens: it will most likely be refused.`,
  requestCost: (cost: number) => `About ${dollars(cost)} for what is sent, without the answer`,
  requestAdvice: 'To send less, compact the chat, narrow the files in the panel “Context”, or use Agent.',
  requestOnce: 'Send it',
  requestDeny: 'Do not send',
  contextUsed: (used: number) => `${tokens.format(used)} tokens`,
} as const;
