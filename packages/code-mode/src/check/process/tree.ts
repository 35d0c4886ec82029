import { parse, type AnyNode, type Comment } from 'acorn';

/** A node of a script, with its parent. */
export type Node = AnyNode & { parent?: Node };

/** More nodes than a model's script has. */
const mostNodes = 200_000;

/** A parsed script. */
export interface Tree {
  /** Each node comes after its parent. */
  nodes: Node[];
  /**
   * The script with spaces in place of its comments. TypeScript takes some comments for types, which do not affect what
   * runs.
   */
  plain: string;
}

/** @returns `undefined` when it is not JavaScript, or too long */
export function treeOf(script: string): Tree | undefined {
  const comments: Comment[] = [];
  try {
    const program = parse(script, {
      ecmaVersion: 'latest',
      locations: true,
      allowAwaitOutsideFunction: true,
      allowReturnOutsideFunction: true,
      onComment: comments,
    }) as Node;
    const nodes = [program];
    for (let index = 0; index < nodes.length; index++) {
      if (nodes.length > mostNodes) return undefined;
      const parent = nodes[index] as Node;
      for (const child of childrenOf(parent)) nodes.push(Object.assign(child, { parent }));
    }
    return { nodes, plain: withoutComments(script, comments) };
  } catch {
    return undefined;
  }
}

function withoutComments(script: string, comments: readonly Comment[]): string {
  let from = 0;
  const parts = comments.flatMap(({ start, end }) => {
    const before = script.slice(from, start);
    from = end;
    return [before, script.slice(start, end).replaceAll(/[^\n\r\u2028\u2029]/g, ' ')];
  });
  return [...parts, script.slice(from)].join('');
}

function childrenOf(node: Node): Node[] {
  return Object.entries(node)
    .filter(([key]) => key !== 'parent')
    .flatMap(([, value]) => (Array.isArray(value) ? value : [value]) as unknown[])
    .filter((value): value is Node => typeof (value as { type?: unknown } | null)?.type === 'string');
}

export function isFunction(node: Node): boolean {
  return /^(FunctionDeclaration|FunctionExpression|ArrowFunctionExpression)$/.test(node.type);
}
