import type { Facts } from '../../facts.ts';
import type { Helper } from '../../helper.ts';

/** A global function that the engine gets wrong, with one that does it right; assigned before the script begins. */
export interface Replacement extends Helper {
  /** Whether the script may come to it. */
  isNeeded(facts: Facts): boolean;
}

export const variable =
  (name: string) =>
  ({ references }: Facts): boolean =>
    references.has(name) || references.has('globalThis');

export const member =
  (object: string, name: string) =>
  ({ references, members, hasComputedMembers }: Facts): boolean =>
    references.has('globalThis') || (references.has(object) && (members.has(name) || hasComputedMembers));
