import type { Facts } from './facts.ts';
import type { AnyNode } from './syntax.ts';

/** Methods whose calls become calls of helpers: `object.name(a)` → `helper(object, a)`. A table of a rule. */
export interface Methods {
  /** Names the rule in the log. */
  id: string;
  names: ReadonlySet<string>;
  /** The helper for this call, without the prefix; `undefined` to leave it alone. Looks only, writes nothing. */
  helperFor(call: MethodCall, facts: Facts): string | undefined;
}

export interface MethodCall {
  name: string;
  object: AnyNode;
  args: readonly AnyNode[];
}
