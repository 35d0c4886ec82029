import * as z from 'zod/mini';

/** How many or how much: a whole number. */
export const count = z.int().check(z.gte(0));

/** In ms. */
export const duration = z.number().check(z.gte(0));
