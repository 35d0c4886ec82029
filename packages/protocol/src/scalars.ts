import * as z from 'zod/mini';
import { maxErrorText } from './limits.ts';

/** A count or an amount: a whole number, not negative. */
export const count = z.int().check(z.gte(0));

/** A duration in ms, not negative. */
export const duration = z.number().check(z.gte(0));

/** @param length the most UTF-16 units */
export const text = (length: number): z.ZodMiniString<string> => z.string().check(z.maxLength(length));

/** A part of an error's message or details. */
export const errorText = text(maxErrorText);
