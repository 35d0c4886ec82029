import { it } from 'vitest';
import { defaults } from '../client/support.ts';
import { noJail } from './support.ts';

// What crashes, hangs and is killed must be told apart and contained in the jail as it is without.
if (noJail === undefined) {
  Object.assign(defaults, { isolation: 'jail', roots: ['.'] });
  await import('../client/faults.test.ts');
} else {
  it.skip(`the faults, in a jail: ${noJail}`);
}
