import type { AssignmentExpression, CallExpression, NewExpression, UpdateExpression } from 'acorn';
import type { Facts } from '../../facts.ts';
import { Refusal, type Rewriter } from '../../rewriter.ts';
import type { Rule } from '../../rule.ts';
import {
  isReference,
  isWritten,
  memberName,
  methodCall,
  prototypeOf,
  unwrap,
  walk,
  type AnyNode,
} from '../../syntax.ts';

/** Typed arrays that there are, and how many bytes an element has. */
export const elementSizes = {
  Uint8Array: 1,
  Int8Array: 1,
  Uint8ClampedArray: 1,
  Uint16Array: 2,
  Int16Array: 2,
  Uint32Array: 4,
  Int32Array: 4,
  Float32Array: 4,
  Float64Array: 8,
} as const;
const makers: Record<string, string> = {
  ArrayBuffer: 'newBuffer',
  DataView: 'newView',
  TextEncoder: 'newEncoder',
  TextDecoder: 'newDecoder',
};
const names = new Set([...Object.keys(elementSizes), ...Object.keys(makers)]);

/** Methods that do something else with a typed array than with a list. */
const methods = new Set([
  ...['map', 'filter', 'slice', 'sort', 'toSorted', 'subarray', 'set', 'fill', 'reverse', 'copyWithin', 'toReversed'],
  ...[
    'with',
    'push',
    'pop',
    'shift',
    'unshift',
    'splice',
    'toSpliced',
    'concat',
    'flat',
    'flatMap',
    'encode',
    'decode',
  ],
]);
/** A typed array among their values is one value to JavaScript, and a list to the engine. */
const joins: Record<string, string> = { concat: 'isTypedIn', flat: 'isTypedWithin', flatMap: 'isTypedIn' };
const fields = new Set(['buffer', 'byteLength', 'byteOffset', 'BYTES_PER_ELEMENT', 'constructor']);
const viewMethod = /^[gs]et(?:Ui|I)nt(?:8|16|32)$|^[gs]etFloat(?:32|64)$|^[gs]etBig(?:Ui|I)nt64$/;

/** Whether a script has typed arrays or what belongs to them. All of these rules ask it first: others pay nothing. */
export function hasBytes(facts: Facts): boolean {
  let answer = known.get(facts);
  if (answer === undefined) {
    answer = [...names].some((name) => facts.references.has(name) && !facts.declared.has(name));
    known.set(facts, answer);
  }
  return answer;
}
const known = new WeakMap<Facts, boolean>();

/**
 * The engine has no typed arrays. One becomes a list of numbers that helpers know, and keep what it stands for: what is
 * written is made a number of its kind, what its methods give is one again.
 *
 *     new Uint8Array(4)   →   __ms_newTyped('Uint8Array', 4)
 *     bytes[i] = n        →   __ms_fix(t = bytes, u = i, t[u] = n)
 *     bytes.map(f)        →   (__ms_isTyped(t = bytes, u = f) ? __ms_typedCall(t, 'map', u) : t.map(u))
 *     bytes.buffer        →   (__ms_isTyped(t = bytes) ? __ms_bytesOf(t, 'buffer') : t.buffer)
 */
const rule = (id: string, on: Rule['on'], rewrite: Rule['rewrite']): Rule => ({
  id: `typed-arrays-${id}`,
  on,
  rewrite: (node, rewriter) => hasBytes(rewriter.facts) && !rewriter.isInside(node) && rewrite(node, rewriter),
});

export const typedArrays: Rule[] = [
  rule('new', ['NewExpression'], (node, rewriter) => node.type === 'NewExpression' && writeNew(node, rewriter)),
  rule(
    'write',
    ['AssignmentExpression', 'UpdateExpression'],
    (node, rewriter) =>
      (node.type === 'AssignmentExpression' || node.type === 'UpdateExpression') && writeElement(node, rewriter),
  ),
  rule('call', ['CallExpression'], (node, rewriter) => node.type === 'CallExpression' && writeCall(node, rewriter)),
  rule('kind', ['CallExpression'], (node, rewriter) => {
    if (node.type !== 'CallExpression' || node.arguments.length !== 1 || node.optional) return false;
    const call = methodCall(node);
    const [value] = node.arguments as [AnyNode];
    if (call?.name !== 'call' || call.member.optional || value.type === 'SpreadElement' || !isToString(call.object))
      return false;
    rewriter.inside(node, () => rewriter.write(node, `(${rewriter.helper('kindText')}(`, value, '))'));
    return true;
  }),
  rule('chain', ['ChainExpression'], (node) => {
    walk(node, (inner) => {
      const call = methodCall(inner);
      // A Map has `set` as well: `counts?.set(…)`.
      const isMethod = call !== undefined && methods.has(call.name) && (call.name !== 'set' || isOptionalCall(inner));
      if (isMethod && call.object.type !== 'ArrayExpression')
        throw new Refusal(`?. before ${call.name}() is not supported in a script with typed arrays`, inner);
      const field = inner.type === 'MemberExpression' ? memberName(inner) : undefined;
      if (field === undefined || !fields.has(field) || !isOptional(inner)) return;
      // `a?.byteLength` can be asked of `a` alone. What follows another `?.` is left out with it.
      const isAll = node.type === 'ChainExpression' && node.expression === inner;
      if (!isAll || inner.type !== 'MemberExpression' || isOptional(inner.object))
        throw new Refusal(`${field} after ?. is not supported in a script with typed arrays: use if`, inner);
    });
    return false;
  }),
  rule('json', ['MemberExpression'], (node, rewriter) => {
    if (node.type !== 'MemberExpression' || nameOf(node.object) !== 'JSON') return false;
    const parent = rewriter.ancestors.at(-1);
    if (memberName(node) !== 'stringify' || (parent?.type === 'CallExpression' && parent.callee === node)) return false;
    const advice = 'is not supported in a script with typed arrays: use (value) => JSON.stringify(value)';
    throw new Refusal(`JSON.stringify as a value ${advice}`, node);
  }),
  rule('field', ['MemberExpression'], (node, rewriter) => {
    if (node.type !== 'MemberExpression' || ['Super', 'ThisExpression'].includes(node.object.type)) return false;
    const name = memberName(node) ?? '';
    const parent = rewriter.ancestors.at(-1);
    if (!fields.has(name) || isWritten(node, parent)) return false;
    if (isOurs(node.object, rewriter.facts)) {
      if (name !== 'BYTES_PER_ELEMENT') return false;
      rewriter.output.write(String(elementSizes[nameOf(node.object) as keyof typeof elementSizes]), node);
      return true;
    }
    const it = rewriter.temporary();
    rewriter.write(node, `(${rewriter.helper('isTyped')}(${it} = `, node.object, ') ? ');
    rewriter.output.write(`${rewriter.helper('bytesOf')}(${it}, '${name}') : `, node);
    rewriter.substitute(node.object, it);
    rewriter.inside(node, () => rewriter.emit(node));
    rewriter.output.write(')', node);
    return true;
  }),
  rule('value', ['MemberExpression'], (node, rewriter) => {
    if (node.type !== 'MemberExpression' || node.object.type === 'Super') return false;
    const name = memberName(node) ?? '';
    const parent = rewriter.ancestors.at(-1);
    const isCalled = parent?.type === 'CallExpression' && parent.callee === node;
    if (!(methods.has(name) || viewMethod.test(name)) || isCalled || isWritten(node, parent)) return false;
    // There a method is called, or refused by another rule.
    if (rewriter.ancestors.some(({ type }) => type === 'ChainExpression')) return false;
    const it = rewriter.temporary();
    rewriter.write(node, `(${rewriter.helper('isTyped')}(${it} = `, node.object, ') ? ');
    rewriter.output.write(
      `${rewriter.helper('refuse')}('${name} of a typed array as a value is not supported') : `,
      node,
    );
    rewriter.substitute(node.object, it);
    rewriter.inside(node, () => rewriter.emit(node));
    rewriter.output.write(')', node);
    return true;
  }),
  rule('instanceof', ['BinaryExpression'], (node, rewriter) => {
    if (node.type !== 'BinaryExpression' || node.operator !== 'instanceof') return false;
    const kind = nameOf(node.right);
    if (!isOurs(node.right, rewriter.facts) && kind !== 'Array') return false;
    const test = kind === 'Array' ? 'isList' : 'isKind';
    rewriter.write(node, `${rewriter.helper(test)}(`, node.left, kind === 'Array' ? ')' : `, '${kind}')`);
    return true;
  }),
  rule('delete', ['UnaryExpression'], (node) => {
    if (node.type !== 'UnaryExpression' || node.operator !== 'delete') return false;
    const target = unwrap(node.argument);
    if (target.type === 'MemberExpression' && target.computed && memberName(target) === undefined) {
      throw new Refusal('delete of an element is not supported in a script with typed arrays: use a Map', node);
    }
    return false;
  }),
  rule('picked', ['ObjectPattern'], (node) => {
    if (node.type !== 'ObjectPattern') return false;
    for (const property of node.properties) {
      const key = property.type === 'Property' && !property.computed ? property.key : undefined;
      const name = key?.type === 'Identifier' ? key.name : '';
      if (!fields.has(name)) continue;
      throw new Refusal(`${name} in a pattern is not supported in a script with typed arrays: use .${name}`, property);
    }
    return false;
  }),
  rule('pattern', ['AssignmentExpression', 'ForOfStatement', 'ForInStatement'], (node) => {
    if (!('left' in node)) return false;
    const target = node.left;
    if (target.type !== 'ArrayPattern' && target.type !== 'ObjectPattern' && node.type === 'AssignmentExpression')
      return false;
    walk(target, (inner) => {
      if (inner.type === 'MemberExpression' && inner.computed)
        throw new Refusal('an element as a target of a pattern is not supported in a script with typed arrays', inner);
    });
    return false;
  }),
  rule('name', ['Identifier'], (node, rewriter) => {
    if (node.type === 'Identifier' && node.name === 'structuredClone' && !rewriter.facts.declared.has(node.name))
      throw new Refusal('structuredClone is not supported in a script with typed arrays: use slice()', node);
    if (node.type !== 'Identifier' || !isOurs(node, rewriter.facts)) return false;
    if (!isReference(node, rewriter.ancestors.at(-1))) return false;
    throw new Refusal(`${node.name} as a value is not supported: use new ${node.name}(…), .from(…) or .of(…)`, node);
  }),
];

/** `Object.prototype.toString`, `({}).toString`, or what is called so. */
function isToString(node: AnyNode): boolean {
  const inner = unwrap(node);
  if (inner.type !== 'MemberExpression') return inner.type === 'Identifier' && inner.name === 'toString';
  const owner = unwrap(inner.object);
  return memberName(inner) === 'toString' && (prototypeOf(owner) === 'Object' || owner.type === 'ObjectExpression');
}

function nameOf(node: AnyNode): string {
  const inner = unwrap(node);
  return inner.type === 'Identifier' ? inner.name : '';
}

/** Whether a `?.` on the way to it leaves it out. */
function isOptional(node: AnyNode): boolean {
  if (node.type === 'MemberExpression') return node.optional || isOptional(node.object);
  return node.type === 'CallExpression' && (node.optional || isOptional(node.callee));
}

function isOptionalCall(node: AnyNode): boolean {
  return node.type === 'CallExpression' && node.optional;
}

function isOurs(node: AnyNode, { declared }: Facts): boolean {
  const name = nameOf(node);
  return names.has(name) && !declared.has(name);
}

function writeNew(node: NewExpression, rewriter: Rewriter): boolean {
  if (!isOurs(node.callee, rewriter.facts)) return false;
  const kind = nameOf(node.callee);
  const maker = makers[kind];
  const first = maker === undefined ? `${rewriter.helper('newTyped')}('${kind}'` : `${rewriter.helper(maker)}(`;
  rewriter.output.write(first, node);
  node.arguments.forEach((argument, at) => {
    rewriter.write(node, maker !== undefined && at === 0 ? '' : ', ', argument);
  });
  rewriter.output.write(')', node);
  return true;
}

/** The list is written as before, and put right after that. */
function writeElement(node: AssignmentExpression | UpdateExpression, rewriter: Rewriter): boolean {
  const target = unwrap(node.type === 'AssignmentExpression' ? node.left : node.argument);
  if (target.type !== 'MemberExpression' || target.object.type === 'Super') return false;
  if (target.property.type === 'PrivateIdentifier') return false;
  // `bytes['1']` is an element as well.
  const isElement = /^[-.\d]/.test(memberName(target) ?? '');
  const name = isElement ? undefined : memberName(target);
  if (name !== undefined && name !== 'length') return false;
  const object = rewriter.temporary();
  const key = name === undefined ? rewriter.temporary() : `'${name}'`;
  rewriter.write(node, `${rewriter.helper('fix')}(${object} = `, target.object, ', ');
  if (name === undefined) rewriter.write(node, `${key} = `, target.property, ', ');
  else rewriter.output.write(`${key}, `, node);
  rewriter.substitute(target.object, object);
  if (name === undefined) rewriter.substitute(target.property, key);
  rewriter.inside(node, () => rewriter.emit(node));
  rewriter.output.write(')', node);
  return true;
}

function writeCall(node: CallExpression, rewriter: Rewriter): boolean {
  const call = methodCall(node);
  if (call === undefined || node.optional || call.member.optional) return false;
  const { object, name } = call;
  const owner = nameOf(object);
  const isSpread = node.arguments.some(({ type }) => type === 'SpreadElement');
  if (isOurs(object, rewriter.facts)) return writeStatic(node, owner, name, rewriter);
  if (owner === 'Array' && name === 'isArray') {
    rewriter.write(node, `${rewriter.helper('isList')}(`, ...list(node.arguments), ')');
    return true;
  }
  if (owner === 'JSON' && name === 'stringify' && !isSpread && node.arguments.length > 0) {
    const [value, replacer] = node.arguments as [AnyNode, AnyNode | undefined];
    const copy = rewriter.temporary();
    const mayChange = replacer !== undefined && !['Literal', 'ArrayExpression'].includes(unwrap(replacer).type);
    const rest = mayChange && nameOf(replacer) !== 'undefined' ? ', true)), ' : ')), ';
    // The copy is there before the call is written for it.
    rewriter.write(node, `((${copy} = ${rewriter.helper('untyped')}(`, value, rest);
    rewriter.substitute(value, copy);
    rewriter.inside(node, () => rewriter.emit(node));
    rewriter.output.write(')', node);
    return true;
  }
  return (methods.has(name) || viewMethod.test(name)) && writeMethod(node, object, name, rewriter);
}

function writeStatic(node: CallExpression, owner: string, name: string, rewriter: Rewriter): boolean {
  const helper = { from: 'typedFrom', of: 'typedOf', fromBase64: 'typedBase64' }[name];
  if (helper === undefined || !(owner in elementSizes) || (name === 'fromBase64' && owner !== 'Uint8Array'))
    throw new Refusal(`${owner}.${name} is not supported`, node);
  rewriter.write(node, `${rewriter.helper(helper)}('${owner}'`);
  for (const argument of node.arguments) rewriter.write(node, ', ', argument);
  rewriter.output.write(')', node);
  return true;
}

function writeMethod(node: CallExpression, object: AnyNode, name: string, rewriter: Rewriter): boolean {
  const it = rewriter.temporary();
  const args = node.arguments.map((argument) => ({
    argument: argument.type === 'SpreadElement' ? argument.argument : argument,
    dots: argument.type === 'SpreadElement' ? '...' : '',
    name: rewriter.temporary(),
  }));
  rewriter.write(node, `(${rewriter.helper(joins[name] ?? 'isTyped')}(${it} = `, object);
  args.forEach((each, at) => {
    if (name !== 'flatMap' || at > 0 || each.dots !== '') rewriter.write(node, `, ${each.name} = `, each.argument);
    else rewriter.write(node, `, ${each.name} = ${rewriter.helper('whole')}(`, each.argument, ')');
  });
  rewriter.output.write(
    `) ? ${rewriter.helper('typedCall')}(${[it, `'${name}'`, ...args.map((each) => each.dots + each.name)].join(', ')}) : `,
    node,
  );
  rewriter.substitute(object, it);
  for (const each of args) rewriter.substitute(each.argument, each.name);
  rewriter.inside(node, () => rewriter.emit(node));
  rewriter.output.write(')', node);
  return true;
}

function list(nodes: readonly AnyNode[]): (string | AnyNode)[] {
  return nodes.flatMap((node, at) => (at === 0 ? [node] : [', ', node]));
}
