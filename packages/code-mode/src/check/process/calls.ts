import type { CallExpression, Identifier, MemberExpression } from 'acorn';
import { treeOf, type Node } from './tree.ts';
import { Certainty } from './certainty.ts';
import { Names } from './names.ts';

/** A call of a tool in a script. */
export interface ToolCall {
  node: CallExpression & Node;
  /** The name in the script: `github.search`. */
  tool: string;
  /** Whether the script surely gets here if it ends at all, and an error here ends it. */
  isReached: boolean;
  /** Whether the script also surely waits for the answer, so that a refused call ends it. */
  isAwaited: boolean;
}

/** What is found out about a script. */
export interface Calls {
  /** The script without its comments. Everything else keeps its place. */
  plain: string;
  all: ToolCall[];
  names: Names;
  /** Namespaces that a script may have changed, because it uses them for something other than calls. */
  changed: ReadonlySet<string>;
}

/** The calls of members of namespaces; `undefined` when the script is not JavaScript. */
export function callsIn(script: string, namespaces: ReadonlySet<string>): Calls | undefined {
  const tree = treeOf(script);
  if (tree === undefined) return undefined;
  const { nodes, plain } = tree;
  const names = new Names(nodes);
  const certainty = new Certainty(names);
  const all: ToolCall[] = [];
  const changed = new Set<string>();
  for (const node of nodes) {
    if (node.type !== 'Identifier' || !isUse(node)) continue;
    const call = callOf(node);
    if (call === undefined) {
      if (namespaces.has(node.name)) changed.add(node.name);
      continue;
    }
    const tool = `${node.name}.${((call.callee as MemberExpression).property as Identifier).name}`;
    const isReached = certainty.isReached(call);
    all.push({ node: call, tool, isReached, isAwaited: isReached && certainty.isAwaited(call) });
  }
  return { plain, all, names, changed };
}

/** Whether an identifier is looked up as a variable, and is not the name of a member, a field or a label. */
function isUse(node: Identifier & Node): boolean {
  const { parent } = node;
  if (parent?.type === 'MemberExpression') return parent.object === node || parent.computed;
  if (parent?.type === 'Property') return parent.value === node || parent.computed;
  return true;
}

/** The call `name.member(…)` with this node as its name. */
function callOf(name: Node): (CallExpression & Node) | undefined {
  const member = name.parent;
  if (member?.type !== 'MemberExpression' || member.computed || member.optional) return undefined;
  if (member.object !== name || member.property.type !== 'Identifier') return undefined;
  const call = member.parent;
  return call?.type === 'CallExpression' && call.callee === member && !call.optional ? call : undefined;
}
