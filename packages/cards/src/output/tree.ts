import type { JsonValue } from './data.ts';

/** One visible line of a tree. */
export interface TreeNode {
  /** Identifies the node in its tree. */
  path: string;
  /** The key or the index; `undefined` for the root. */
  name: string | undefined;
  value: JsonValue;
  /** From 1. */
  level: number;
  /** How many siblings it has, itself included, and its position among them, from 1. */
  size: number;
  position: number;
}

const firstLevels = 2;
const fewChildren = 50;

/** Whether it can be opened. */
export function isBranch(value: JsonValue): value is JsonValue[] | Record<string, JsonValue> {
  return typeof value === 'object' && value !== null && childrenOf(value).length > 0;
}

/** The paths that are open at first: the upper levels, if they are short. */
export function openAtFirst(value: JsonValue): Set<string> {
  const open = new Set(['$']);
  const pending = visibleNodes(value, open);
  for (const node of pending) {
    if (node.level > firstLevels || node.path === '$' || pending.length > fewChildren) continue;
    if (isBranch(node.value) && childrenOf(node.value).length <= fewChildren) open.add(node.path);
  }
  return open;
}

/**
 * The nodes whose ancestors are all open, from top to bottom. It uses a list instead of recursion, because a value may
 * be nested deeply.
 */
export function visibleNodes(value: JsonValue, open: ReadonlySet<string>): TreeNode[] {
  const nodes: TreeNode[] = [];
  const pending: TreeNode[] = [{ path: '$', name: undefined, value, level: 1, size: 1, position: 1 }];
  for (let node = pending.pop(); node !== undefined; node = pending.pop()) {
    nodes.push(node);
    if (!open.has(node.path)) continue;
    const children = childrenOf(node.value);
    for (let index = children.length - 1; index >= 0; index--) {
      const [name, child] = children[index] as [string, JsonValue];
      pending.push({
        path: `${node.path}/${index}`,
        name,
        value: child,
        level: node.level + 1,
        size: children.length,
        position: index + 1,
      });
    }
  }
  return nodes;
}

function childrenOf(value: JsonValue): [string, JsonValue][] {
  return typeof value === 'object' && value !== null ? Object.entries(value) : [];
}
