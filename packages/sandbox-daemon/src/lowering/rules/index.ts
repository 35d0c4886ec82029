import type { Helper } from '../helper.ts';
import type { Rule } from '../rule.ts';
import { accessorHelpers, accessorReads, accessors } from './accessors.ts';
import { aheadHelpers, aheadRule } from './ahead.ts';
import { argumentHelpers, methodArguments } from './arguments.ts';
import { awaitHelpers, topLevelAwait } from './await.ts';
import { bigintHelpers, bigintOrder } from './bigints.ts';
import { builtinCalls } from './builtin-calls.ts';
import { building, buildingHelpers } from './building.ts';
import { callbackHelpers, callbacks } from './callbacks.ts';
import { caught, caughtHelpers, finalizers, hiddenRejections, rejections } from './caught.ts';
import { characterHelpers, characters, spreadCharacters } from './characters.ts';
import { classHelpers, classRules } from './classes/index.ts';
import { coercionHelpers } from './coercion-helpers.ts';
import { coercions, joins, textFunction } from './coercions.ts';
import { concurrency, concurrencyHelpers } from './concurrency.ts';
import { cutting } from './cutting.ts';
import { cuttingHelpers } from './cutting-helpers.ts';
import { dateHelpers, dates } from './dates.ts';
import { dateSetterHelpers, dateSetters } from './date-setters.ts';
import { destructuring, destructuringHelpers } from './destructuring.ts';
import { differences } from './differences.ts';
import { earlyReturn } from './early-return.ts';
import { execLoop, execLoopHelpers } from './exec-loops.ts';
import { floating, floatingCallback, floatingHelpers, watched } from './floating.ts';
import { forIn, forInHelpers } from './for-in.ts';
import { argumentsObject, ownName } from './functions.ts';
import { generatorHelpers, generatorRules } from './generators/index.ts';
import { globalThisRule } from './global-this.ts';
import { globals } from './globals/index.ts';
import { intl, intlHelpers } from './intl.ts';
import { iteratorHelpers, iteratorSteps } from './iterators.ts';
import { jsonHelpers, jsonMethods } from './json.ts';
import { v8Helpers } from './in-v8.ts';
import { libraryHelpers, libraryNames } from './library-names.ts';
import { linesHelpers, linesRules } from './lines.ts';
import { loopCondition, loopHead } from './loop-head.ts';
import { loopBody, loopVariable } from './loop-variable.ts';
import { methodCallHelpers, methodRules } from './method-calls.ts';
import { matchList, matchListHelpers } from './match-lists.ts';
import { matchLoop } from './match-loops.ts';
import { matchPieceHelpers } from './match-pieces.ts';
import { mapHelpers, mapLoops, mapMethods } from './map-order.ts';
import { lastDigit, number, numberHelpers, numberMethods, round } from './numbers.ts';
import { localeTexts, missing, missingHelpers, missingMethods } from './missing.ts';
import { positionHelpers } from './position-helpers.ts';
import { positions } from './positions.ts';
import { postfix, postfixHelpers } from './postfix.ts';
import { divided } from './divided.ts';
import { power, powerHelpers } from './power.ts';
import { propertyKeyHelpers, propertyKeys } from './property-keys.ts';
import { prototypeHelpers, prototypes } from './prototypes.ts';
import { regexInstanceHelpers, regexInstances } from './regex-instances.ts';
import { execMethods, regexes, regexMethods } from './regex.ts';
import { regexHelpers } from './regex-helpers.ts';
import { replaceHelpers } from './replace-helpers.ts';
import { searchHelpers, searchRule } from './search.ts';
import { sort, sortHelpers } from './sort.ts';
import { stringHelpers, strings } from './strings.ts';
import { taggedTemplate, taggedTemplateHelpers } from './tagged-template.ts';
import { textArgumentHelpers, textArguments } from './text-arguments.ts';
import { textHelpers, texts, trimming } from './texts.ts';
import { template } from './template.ts';
import { thenableHelpers, thenables } from './thenables.ts';
import { typedArrayHelpers, typedArrays } from './typed-arrays/index.ts';
import { varDeclarations } from './var.ts';

/** Every rule, in the order in which they are asked. */
const all: Rule[] = [
  differences,
  floating,
  floatingCallback,
  watched,
  ...libraryNames,
  globalThisRule,
  thenables,
  ...mapLoops,
  earlyReturn,
  concurrency,
  builtinCalls,
  loopHead,
  forIn,
  matchLoop,
  matchList,
  loopVariable,
  loopBody,
  ...linesRules,
  searchRule,
  ...building,
  ...cutting,
  ...typedArrays,
  ...prototypes,
  ...accessors,
  ...positions,
  execLoop,
  ...destructuring,
  ...generatorRules,
  intl,
  ...classRules,
  loopCondition,
  varDeclarations,
  caught,
  finalizers,
  hiddenRejections,
  ownName,
  ...argumentsObject,
  taggedTemplate,
  topLevelAwait,
  regexes,
  characters,
  spreadCharacters,
  lastDigit,
  power,
  divided,
  postfix,
  regexInstances,
  bigintOrder,
  ...coercions,
  textFunction,
  template,
  dates,
  sort,
  number,
  round,
  trimming,
  ...missing,
  propertyKeys,
  aheadRule,
  ...methodRules([
    regexMethods,
    execMethods,
    strings,
    numberMethods,
    texts,
    callbacks,
    rejections,
    missingMethods,
    joins,
    jsonMethods,
    localeTexts,
    accessorReads,
    dateSetters,
    mapMethods,
    iteratorSteps,
  ]),
  textArguments,
  methodArguments,
];

/** The rules for each kind of node. */
export const rules: ReadonlyMap<string, readonly Rule[]> = byNode(all);

/** Every helper. One that uses another at the start of a program comes after it. */
export const helpers: readonly Helper[] = [
  ...caughtHelpers,
  ...v8Helpers,
  ...aheadHelpers,
  ...awaitHelpers,
  ...floatingHelpers,
  ...thenableHelpers,
  ...iteratorHelpers,
  ...callbackHelpers,
  ...sortHelpers,
  ...dateHelpers,
  ...dateSetterHelpers,
  ...mapHelpers,
  ...forInHelpers,
  ...libraryHelpers,
  ...classHelpers,
  ...generatorHelpers,
  ...linesHelpers,
  ...searchHelpers,
  ...characterHelpers,
  ...concurrencyHelpers,
  ...textHelpers,
  ...positionHelpers,
  ...argumentHelpers,
  ...textArgumentHelpers,
  ...methodCallHelpers,
  ...accessorHelpers,
  ...buildingHelpers,
  ...cuttingHelpers,
  ...stringHelpers,
  ...replaceHelpers,
  ...regexHelpers,
  ...regexInstanceHelpers,
  ...matchPieceHelpers,
  ...matchListHelpers,
  ...execLoopHelpers,
  ...taggedTemplateHelpers,
  ...numberHelpers,
  ...powerHelpers,
  ...postfixHelpers,
  ...coercionHelpers,
  ...bigintHelpers,
  ...destructuringHelpers,
  ...propertyKeyHelpers,
  ...jsonHelpers,
  ...typedArrayHelpers,
  ...missingHelpers,
  ...prototypeHelpers,
  ...intlHelpers,
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
