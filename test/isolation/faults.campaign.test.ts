import { describe } from 'vitest';
import { defaults } from '../client/support.ts';
import { noJail } from './support.ts';

Object.assign(defaults, { isolation: 'jail', roots: ['.'] });

// What crashes, hangs and is killed must be told apart and contained in the jail as it is without.
describe.skipIf(noJail !== undefined)('in a jail', async () => {
  await import('../client/faults.alone.test.ts');
});
