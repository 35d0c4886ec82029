import type { Arbitrary } from 'fast-check';

export const sandboxValue: Arbitrary<unknown>;
export const almostTagged: Arbitrary<unknown>;
