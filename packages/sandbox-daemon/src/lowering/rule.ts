import type { Facts } from './facts.ts';
import type { AnyNode } from './syntax.ts';
import type { Rewriter } from './rewriter.ts';

/** One thing that the engine lacks or gets wrong, and what it is given instead. One file a rule, in `rules/`. */
export interface Rule {
  /** Names the rule in the log, when it fails. */
  id: string;
  /** The kinds of node that it looks at. */
  on: AnyNode['type'][];
  /**
   * Writes what stands for `node`, and says `true`; or leaves it to the next rule, and writes nothing.
   *
   * @throws {Refusal} for what cannot be made right
   */
  rewrite(node: AnyNode, rewriter: Rewriter): boolean;
}

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
