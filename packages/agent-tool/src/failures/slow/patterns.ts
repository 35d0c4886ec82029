import type { AnyNode } from 'acorn';
import { isEndless } from './endless-loop.ts';
import { isCallback, loopsAround, methodCall, type Visit } from '../program.ts';
import type { SlowIdiomId } from './idioms.ts';
import { isText } from './text-variables.ts';

/** What is known of the whole script. */
interface Facts {
  /** The variables that hold a string. */
  texts: ReadonlySet<string>;
}

type Pattern = (visit: Visit, facts: Facts) => boolean;

/** Whether a node is the idiom. Each looks at the syntax tree, so it cannot mistake a string or a comment for code. */
export const patterns: Record<SlowIdiomId, Pattern> = {
  'endless-loop': isEndless,
  'match-all': (visit) => calls(visit, 'matchAll') !== undefined,
  'exec-loop': isExecLoop,
  characters: isOverCharacters,
  positions: isByPosition,
  'index-of-loop': (visit) => inLoop(visit) && (calls(visit, 'indexOf', 'lastIndexOf')?.arguments.length ?? 0) > 1,
  'cut-head': cutsHead,
  sort: sortsByFunction,
  concatenation: addsInLoop,
  'reduce-text': reducesToText,
  'copied-accumulator': copiesAccumulator,
  queue: shiftsInLoop,
  'promise-chain': chainsPromises,
  'keys-in-loop': (visit) => inLoop(visit) && isNamed(calls(visit, 'keys', 'values', 'entries')?.object, 'Object'),
  'search-in-loop': (visit) => inLoop(visit) && calls(visit, ...searches) !== undefined,
  'split-again': (visit) => inLoop(visit) && calls(visit, 'split') !== undefined,
};

const searches = ['find', 'findIndex', 'findLast', 'some', 'filter', 'every'];

function inLoop(visit: Visit): boolean {
  return loopsAround(visit).length > 0;
}

/** A call of one of these methods on anything. */
function calls(visit: Visit, ...names: string[]): ReturnType<typeof methodCall> {
  const call = methodCall(visit.node);
  return call !== undefined && names.includes(call.name) ? call : undefined;
}

function isNamed(node: AnyNode | undefined | null, name: string): boolean {
  return node?.type === 'Identifier' && node.name === name;
}

/** `x = …` with the name of x. */
function assigns(node: AnyNode, operator: string): { name: string; value: AnyNode } | undefined {
  if (node.type !== 'AssignmentExpression' || node.operator !== operator || node.left.type !== 'Identifier')
    return undefined;
  return { name: node.left.name, value: node.right };
}

/** Not by an expression of the two values, which is read once and not called. */
function sortsByFunction(visit: Visit): boolean {
  const [by] = calls(visit, 'sort', 'toSorted')?.arguments ?? [];
  return by !== undefined && !(by.type === 'ArrowFunctionExpression' && by.body.type !== 'BlockStatement');
}

/** `re.exec(text)` again and again: in a loop whose text does not change with it. */
function isExecLoop(visit: Visit): boolean {
  const call = calls(visit, 'exec');
  if (call === undefined) return false;
  const [loop] = loopsAround(visit);
  if (loop?.type !== 'WhileStatement' && loop?.type !== 'ForStatement' && loop?.type !== 'DoWhileStatement')
    return false;
  const test = loop.test as AnyNode | null | undefined;
  const inTest = test !== null && test !== undefined && test.start <= visit.node.start && visit.node.end <= test.end;
  return inTest || !test || test.type === 'Literal';
}

/** Characters by their position, in a loop. */
function isByPosition(visit: Visit, { texts }: Facts): boolean {
  if (!inLoop(visit)) return false;
  if (calls(visit, 'charAt', 'charCodeAt', 'codePointAt')) return true;
  const { node } = visit;
  if (node.type === 'MemberExpression' && node.computed) {
    return isText(node.object, texts) && node.property.type !== 'Literal';
  }
  const call = calls(visit, 'startsWith', 'substring', 'at');
  if (call === undefined || !isText(call.object, texts)) return false;
  return call.name === 'startsWith' ? call.arguments.length > 1 : call.arguments[0]?.type !== 'Literal';
}

function spreadsItself(value: AnyNode, name: string): boolean {
  const parts =
    value.type === 'ArrayExpression' ? value.elements : value.type === 'ObjectExpression' ? value.properties : [];
  if (parts.some((part) => part?.type === 'SpreadElement' && isNamed(part.argument, name))) return true;
  const call = methodCall(value);
  return call?.name === 'concat' && isNamed(call.object, name);
}

/** The accumulator of a loop or of `reduce((all, x) => [...all, x])` is copied for each element. */
function copiesAccumulator(visit: Visit): boolean {
  const set = inLoop(visit) ? assigns(visit.node, '=') : undefined;
  if (set !== undefined && spreadsItself(set.value, set.name)) return true;
  const { node, ancestors } = visit;
  if (node.type !== 'ArrowFunctionExpression' || !isCallback(node, ancestors.at(-1))) return false;
  const [accumulator] = node.params;
  if (accumulator?.type !== 'Identifier') return false;
  return spreadsItself(node.body, accumulator.name);
}
/** The characters of a text, one by one. */
function isOverCharacters({ node }: Visit, { texts }: Facts): boolean {
  if (node.type === 'ForOfStatement') return isText(node.right, texts);
  if (node.type === 'SpreadElement') return isText(node.argument, texts);
  const call = methodCall(node);
  const [from] = call?.name === 'from' ? call.arguments : [];
  return from !== undefined && isText(from, texts);
}

/** `text = text.slice(…)` */
function cutsHead(visit: Visit): boolean {
  const { name, call } = assignedCall(visit);
  return (call?.name === 'slice' || call?.name === 'substring') && isNamed(call.object, name);
}

/** `chain = chain.then(…)` */
function chainsPromises(visit: Visit): boolean {
  const { name, call } = assignedCall(visit);
  return call?.name === 'then' && isNamed(call.object, name);
}

/** `name = ….method(…)` in a loop. */
function assignedCall(visit: Visit): { name: string; call?: ReturnType<typeof methodCall> } {
  const set = inLoop(visit) ? assigns(visit.node, '=') : undefined;
  return set === undefined ? { name: '' } : { name: set.name, call: methodCall(set.value) };
}

function addsInLoop(visit: Visit, { texts }: Facts): boolean {
  if (!inLoop(visit)) return false;
  const added = assigns(visit.node, '+=');
  if (added !== undefined) return texts.has(added.name) || isText(added.value, new Set());
  const set = assigns(visit.node, '=');
  return set !== undefined && texts.has(set.name) && addsTo(set.value, set.name);
}

/** `name + …`, or a template with it. */
function addsTo(value: AnyNode, name: string): boolean {
  if (value.type === 'TemplateLiteral') return value.expressions.some((part) => isNamed(part, name));
  return (
    value.type === 'BinaryExpression' &&
    value.operator === '+' &&
    (isNamed(value.left, name) || addsTo(value.left, name))
  );
}

function reducesToText(visit: Visit, { texts }: Facts): boolean {
  const [callback, start] = calls(visit, 'reduce', 'reduceRight')?.arguments ?? [];
  if (callback?.type !== 'ArrowFunctionExpression') return false;
  return isText(start ?? callback.body, texts);
}

/** Takes from the front of an array, or adds to it. */
function shiftsInLoop(visit: Visit): boolean {
  if (!inLoop(visit)) return false;
  if (calls(visit, 'shift', 'unshift') !== undefined) return true;
  const [start] = calls(visit, 'splice')?.arguments ?? [];
  return start?.type === 'Literal' && start.value === 0;
}
