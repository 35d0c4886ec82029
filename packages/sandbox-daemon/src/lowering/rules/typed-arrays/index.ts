import type { Helper } from '../../helper.ts';
import { bufferHelpers } from './buffers.ts';
import { elementHelpers } from './elements.ts';
import { encodingHelpers } from './encodings.ts';
import { methodHelpers } from './methods.ts';

export { typedArrays } from './rules.ts';

export const typedArrayHelpers: Helper[] = [...elementHelpers, ...bufferHelpers, ...encodingHelpers, ...methodHelpers];
