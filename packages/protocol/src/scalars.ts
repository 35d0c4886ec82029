import * as z from 'zod/mini';

/** A count or an amount: a whole number, not negative. */
export const count = z.int().check(z.gte(0));

/** A duration in ms, not negative. */
export const duration = z.number().check(z.gte(0));
