import { Refusal } from '../rewriter.ts';
import type { Rule } from '../rule.ts';
import { isFunction, memberName, methodCall, unwrap, walk, type AnyNode, type FunctionNode } from '../syntax.ts';
import { isBuiltin } from './builtin-names.ts';

/**
 * In a script with promises the engine answers each call by a promise, and a built-in is a function that gives its
 * value: what its caller does not await would be a promise where a text is meant.
 *
 *     const text = read_file(path)   →   const text = (await read_file(path))
 *
 * A function that is not async cannot wait. There a call stays as it is where its promise goes to whoever awaits the
 * function, and is refused elsewhere.
 */
export const builtinCalls: Rule = {
  id: 'builtin-calls',
  on: ['CallExpression'],
  rewrite(node, rewriter) {
    if (node.type !== 'CallExpression' || !rewriter.facts.isAsync || rewriter.isInside(node)) return false;
    const { callee } = node;
    // `lines` is looped over: its own rule waits for it.
    if (callee.type !== 'Identifier' || callee.name === 'lines' || !isBuiltin(callee, rewriter, node)) return false;
    if (isTakenAsPromise(rewriter.ancestors)) return false;
    if (!canAwait(node, rewriter.ancestors)) {
      if (isGivenToWaiter(rewriter.ancestors)) return false;
      throw new Refusal(refusal(callee.name), node);
    }
    rewriter.output.write('(await ', node);
    rewriter.inside(node, () => rewriter.emit(node));
    rewriter.output.write(')', node);
    return true;
  },
};

const refusal = (name: string): string =>
  `${name}() gives a promise in a script with async functions or promises, and is called in a function that cannot wait for it: leave async, await and Promise out of the script, the functions of the sandbox need none; or make the function async and await its calls`;

const promiseMethods = new Set(['then', 'catch', 'finally']);

/** The ancestors up to the first that is more than parentheses. */
function outside(ancestors: readonly AnyNode[]): number {
  return ancestors.findLastIndex(({ type }) => type !== 'ParenthesizedExpression');
}

/** `await f()`, `f().then(…)`, `Promise.resolve(f())` */
function isTakenAsPromise(ancestors: readonly AnyNode[]): boolean {
  const around = ancestors[outside(ancestors)];
  if (around?.type === 'AwaitExpression') return true;
  if (around?.type === 'MemberExpression') return promiseMethods.has(memberName(around) ?? '');
  return around !== undefined && isPromiseCall(around);
}

/** `Promise.all(…)` and the like. */
function isPromiseCall(node: AnyNode): boolean {
  const object = methodCall(node)?.object;
  return object?.type === 'Identifier' && object.name === 'Promise';
}

/** Whether `await` may stand there: in the body of an async function, or in that of the script. */
function canAwait({ start }: AnyNode, ancestors: readonly AnyNode[]): boolean {
  const around = ancestors.findLast(
    (node) => isFunction(node) || node.type === 'PropertyDefinition' || node.type === 'StaticBlock',
  );
  if (around === undefined) return true;
  return isFunction(around) && around.async && start >= around.body.start;
}

/** Whether the call is what its function gives, and everybody who calls that function takes a promise. */
function isGivenToWaiter(ancestors: readonly AnyNode[]): boolean {
  const at = ancestors.findLastIndex(isFunction);
  const around = ancestors[at] as FunctionNode | undefined;
  if (around === undefined || around.generator) return false;
  const value = ancestors[outside(ancestors)] as AnyNode;
  return (value === around || value.type === 'ReturnStatement') && isWaitedFor(around, ancestors.slice(0, at));
}

/** `Promise.all(paths.map((path) => …))`, `.then(() => …)`, or a name that is only called and awaited. */
function isWaitedFor(node: FunctionNode, ancestors: readonly AnyNode[]): boolean {
  if (isCallbackOfPromises(node, ancestors)) return true;
  const parent = ancestors.at(-1);
  const id = parent?.type === 'VariableDeclarator' ? parent.id : node.id;
  return id?.type === 'Identifier' && !freeNames(ancestors[0] as AnyNode).has(id.name);
}

/** One walk for all functions of a script. */
const known = new WeakMap<AnyNode, ReadonlySet<string>>();

/** Names that are used where nobody takes a promise. */
function freeNames(program: AnyNode): ReadonlySet<string> {
  let free = known.get(program) as Set<string> | undefined;
  if (free !== undefined) return free;
  known.set(program, (free = new Set()));
  const above: AnyNode[] = [];
  walk(program, (node, parent) => {
    while (above.length > 0 && above.at(-1) !== parent) above.pop();
    if (node.type === 'Identifier' && !isDeclared(node, parent) && !isTaken(node, above)) free.add(node.name);
    above.push(node);
  });
  return free;
}

function isDeclared(node: AnyNode, parent: AnyNode | undefined): boolean {
  return (parent?.type === 'VariableDeclarator' || parent?.type === 'FunctionDeclaration') && parent.id === node;
}

function isTaken(name: AnyNode, ancestors: readonly AnyNode[]): boolean {
  const parent = ancestors.at(-1);
  if (parent?.type === 'CallExpression' && parent.callee === name) return isTakenAsPromise(ancestors.slice(0, -1));
  return isCallbackOfPromises(name, ancestors);
}

/** A callback whose value is taken as a promise. */
function isCallbackOfPromises(callback: AnyNode, ancestors: readonly AnyNode[]): boolean {
  const call = ancestors.at(-1);
  if (call?.type !== 'CallExpression' || !call.arguments.some((argument) => unwrap(argument) === callback))
    return false;
  const name = methodCall(call)?.name;
  if (name !== undefined && promiseMethods.has(name)) return true;
  const around = ancestors[outside(ancestors.slice(0, -1))];
  return name === 'map' && around !== undefined && isPromiseCall(around);
}
