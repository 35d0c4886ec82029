import type { Helper } from '../../helper.ts';
import type { Rule } from '../../rule.ts';
import { bufferHelpers } from './buffers.ts';
import { elementHelpers } from './elements.ts';
import { encodingHelpers } from './encodings.ts';
import { keyHelpers, typedKeys } from './keys.ts';
import { methodHelpers } from './methods.ts';
import { typedArrays as named } from './rules.ts';

export const typedArrays: Rule[] = [...named, typedKeys];

export const typedArrayHelpers: Helper[] = [
  ...elementHelpers,
  ...bufferHelpers,
  ...encodingHelpers,
  ...methodHelpers,
  ...keyHelpers,
];
