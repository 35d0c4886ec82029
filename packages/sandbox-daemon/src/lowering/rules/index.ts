import type { Helper } from '../helper.ts';
import type { Rule } from '../rule.ts';
import { awaitHelpers, topLevelAwait } from './await.ts';
import { callbackHelpers, callbacks } from './callbacks.ts';
import { caught, caughtHelpers } from './caught.ts';
import { earlyReturn } from './early-return.ts';
import { globals } from './globals.ts';
import { methodRules } from './method-calls.ts';
import { loopHead } from './loop-head.ts';
import { template } from './template.ts';
import { textHelpers, texts } from './texts.ts';
import { varDeclarations } from './var.ts';

/** Every rule, in the order in which they are asked. */
const all: Rule[] = [
  earlyReturn,
  topLevelAwait,
  loopHead,
  varDeclarations,
  caught,
  template,
  ...methodRules([texts, callbacks]),
];

/** The rules for each kind of node. */
export const rules: ReadonlyMap<string, readonly Rule[]> = byNode(all);

/** Every helper. One that uses another at the start of a program comes after it. */
export const helpers: readonly Helper[] = [
  ...awaitHelpers,
  ...callbackHelpers,
  ...textHelpers,
  ...caughtHelpers,
  ...globals,
];

export { globals };

function byNode(all: readonly Rule[]): Map<string, Rule[]> {
  const found = new Map<string, Rule[]>();
  for (const rule of all) {
    for (const type of rule.on) found.set(type, [...(found.get(type) ?? []), rule]);
  }
  return found;
}
