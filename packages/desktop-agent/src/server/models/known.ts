// What is known about models for which a person has set nothing. Prices are from the lists of early 2026, in US dollars for
// a million tokens. A model that is not listed has no price and no window, because a guess would look like a fact.
import type { Price } from '../../shared/contract/index.ts';

interface Known {
  model: RegExp;
  contextWindow: number;
  price?: Price;
}

const known: readonly Known[] = [
  { model: /^claude-opus-4-[56](?!\d)/, contextWindow: 200_000, price: { input: 5, output: 25, cached: 0.5 } },
  { model: /^claude-opus-4(?:-1|-0|-2025)/, contextWindow: 200_000, price: { input: 15, output: 75, cached: 1.5 } },
  {
    model: /^claude-(?:sonnet-4|3-7-sonnet|3-5-sonnet)/,
    contextWindow: 200_000,
    price: { input: 3, output: 15, cached: 0.3 },
  },
  { model: /^claude-haiku-4-5/, contextWindow: 200_000, price: { input: 1, output: 5, cached: 0.1 } },
  { model: /^claude-/, contextWindow: 200_000 },
  { model: /^gpt-5-nano/, contextWindow: 400_000, price: { input: 0.05, output: 0.4, cached: 0.005 } },
  { model: /^gpt-5-mini/, contextWindow: 400_000, price: { input: 0.25, output: 2, cached: 0.025 } },
  { model: /^gpt-5(?:\.1)?(?:-2025|$)/, contextWindow: 400_000, price: { input: 1.25, output: 10, cached: 0.125 } },
  { model: /^gpt-4\.1(?:-2025|$)/, contextWindow: 1_000_000, price: { input: 2, output: 8, cached: 0.5 } },
  { model: /^gpt-4o(?:-2024|$)/, contextWindow: 128_000, price: { input: 2.5, output: 10, cached: 1.25 } },
  { model: /^gemini-2\.5-flash(?:$|-0)/, contextWindow: 1_000_000, price: { input: 0.3, output: 2.5, cached: 0.03 } },
  { model: /^gemini-2\.5-pro/, contextWindow: 1_000_000, price: { input: 1.25, output: 10, cached: 0.125 } },
];

/** @param label the model's name at its provider. Ask for models of providers only: a server can give a model any name */
export function knownOf(label: string): { contextWindow: number | null; price: Price | null } {
  const found = known.find(({ model }) => model.test(label));
  return { contextWindow: found?.contextWindow ?? null, price: found?.price ?? null };
}
