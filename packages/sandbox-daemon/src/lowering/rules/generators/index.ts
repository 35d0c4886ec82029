import type { Helper } from '../../helper.ts';
import type { Rule } from '../../rule.ts';
import { asyncHelpers, asyncLoop } from './async.ts';
import { consumers } from './consumers.ts';
import { generatorFunction, generatorMethod, yields } from './functions.ts';
import { iterationHelpers } from './helpers.ts';
import { generatorLoop, returnInLoop } from './loops.ts';
import { stepHelpers } from './steps/helpers.ts';

export const generatorRules: Rule[] = [
  generatorFunction,
  generatorMethod,
  returnInLoop,
  yields,
  asyncLoop,
  generatorLoop,
  consumers,
];

export const generatorHelpers: Helper[] = [...iterationHelpers, ...stepHelpers, ...asyncHelpers];
