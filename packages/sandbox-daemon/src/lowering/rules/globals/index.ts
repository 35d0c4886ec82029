import { jsonParse } from '../json.ts';
import { numberGlobals } from './numbers.ts';
import { objectGlobals } from './objects.ts';
import { member, variable, type Replacement } from './replacement.ts';
import { textGlobals } from './texts.ts';

/** Every global function that the engine gets wrong or lacks. */
export const globals: Replacement[] = [
  ...numberGlobals,
  ...textGlobals,
  ...objectGlobals,
  {
    name: 'Date.parse',
    isNeeded: member('Date', 'parse'),
    code: 'Date.parse = function parse(text) { return __ms_readDate(text); };',
  },
  { ...jsonParse, isNeeded: member('JSON', 'parse') },
  {
    name: 'performance',
    isNeeded: variable('performance'),
    code: `const __ms_began = Date.now();
globalThis.performance = { now: () => Date.now() - __ms_began, timeOrigin: __ms_began };`,
  },
];
