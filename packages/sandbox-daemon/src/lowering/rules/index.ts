import type { Helper } from '../helper.ts';
import type { Rule } from '../rule.ts';
import { awaitHelpers, topLevelAwait } from './await.ts';
import { callbackHelpers, callbacks } from './callbacks.ts';
import { caught, caughtHelpers } from './caught.ts';
import { characterHelpers, characters, spreadCharacters } from './characters.ts';
import { classHelpers } from './class-helpers.ts';
import { classRules } from './classes.ts';
import { coercionHelpers, coercions } from './coercions.ts';
import { concurrency, concurrencyHelpers } from './concurrency.ts';
import { dateHelpers, dates } from './dates.ts';
import { differences } from './differences.ts';
import { earlyReturn } from './early-return.ts';
import { argumentsObject, ownName } from './functions.ts';
import { generatorHelpers, generatorRules } from './generators.ts';
import { globals } from './globals.ts';
import { v8Helpers } from './in-v8.ts';
import { loopHead } from './loop-head.ts';
import { methodRules } from './method-calls.ts';
import { number, numberHelpers, numberMethods } from './numbers.ts';
import { objectRest } from './object-rest.ts';
import { execMethods, regexes, regexHelpers, regexMethods } from './regex.ts';
import { sort, sortHelpers } from './sort.ts';
import { stringHelpers, strings } from './strings.ts';
import { taggedTemplate, taggedTemplateHelpers } from './tagged-template.ts';
import { textHelpers, texts } from './texts.ts';
import { template } from './template.ts';
import { varDeclarations } from './var.ts';

/** Every rule, in the order in which they are asked. */
const all: Rule[] = [
  differences,
  earlyReturn,
  concurrency,
  ...generatorRules,
  ...classRules,
  loopHead,
  varDeclarations,
  caught,
  ownName,
  ...argumentsObject,
  taggedTemplate,
  topLevelAwait,
  regexes,
  characters,
  spreadCharacters,
  ...coercions,
  template,
  dates,
  sort,
  number,
  objectRest,
  ...methodRules([regexMethods, execMethods, strings, numberMethods, texts, callbacks]),
];

/** The rules for each kind of node. */
export const rules: ReadonlyMap<string, readonly Rule[]> = byNode(all);

/** Every helper. One that uses another at the start of a program comes after it. */
export const helpers: readonly Helper[] = [
  ...caughtHelpers,
  ...v8Helpers,
  ...awaitHelpers,
  ...callbackHelpers,
  ...sortHelpers,
  ...dateHelpers,
  ...classHelpers,
  ...generatorHelpers,
  ...characterHelpers,
  ...concurrencyHelpers,
  ...textHelpers,
  ...stringHelpers,
  ...regexHelpers,
  ...taggedTemplateHelpers,
  ...numberHelpers,
  ...coercionHelpers,
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
