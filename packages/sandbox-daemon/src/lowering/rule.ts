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
