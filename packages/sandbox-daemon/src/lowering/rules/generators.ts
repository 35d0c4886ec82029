import type { ForOfStatement } from 'acorn';
import { bindingNames } from '../facts.ts';
import type { Helper } from '../helper.ts';
import { Refusal, type Rewriter } from '../rewriter.ts';
import type { Rule } from '../rule.ts';
import { isFunction, methodCall, unwrap, walk, type AnyNode } from '../syntax.ts';

/**
 * The engine has no generators. One becomes a function that is given what to do with each value, and a loop over it
 * gives it its body; so both go on in turns, as in JavaScript, and an endless one ends with the loop.
 *
 *     function* g() { yield 1; }       →   function g() { return __ms_generator((__ms_yield) => { __ms_yield(1); }); }
 *     for (const x of g()) { f(x); }   →   __ms_each(g(), (x) => { f(x); });
 */
const generatorFunction: Rule = {
  id: 'generator',
  on: ['FunctionDeclaration', 'FunctionExpression'],
  rewrite(node, rewriter) {
    if (!isFunction(node) || !node.generator || node.body.type !== 'BlockStatement') return false;
    if (node.async) throw new Refusal('async generators are not supported: push into an array', node);
    refuseYieldInFinally(node.body);
    if (usesThis(node.body, 'arguments')) throw new Refusal('arguments is not supported in a generator', node);
    const { body } = node;
    const star = rewriter.source.indexOf('*', node.start);
    const hasStar = star !== -1 && star < (node.params[0]?.start ?? body.start);
    rewriter.functions.copyWith(node, {
      from: hasStar ? star : node.start,
      head: () => {
        if (hasStar) rewriter.output.write(' ', node);
        rewriter.output.copy(hasStar ? star + 1 : node.start, node.params[0]?.start ?? body.start);
        let at = node.params[0]?.start ?? body.start;
        for (const param of node.params) {
          rewriter.output.copy(at, param.start);
          rewriter.write(node, param);
          at = param.end;
        }
        rewriter.output.copy(at, body.start);
      },
      to: body.start,
      start: () => rewriter.output.write(`return ${rewriter.helper('generator')}((__ms_yield) => {`, body),
      end: () => rewriter.output.write('});', { start: body.end, end: body.end }),
    });
    return true;
  },
};

/** The star of a method stands before its name. */
const generatorMethod: Rule = {
  id: 'generator-method',
  on: ['Property'],
  rewrite(node, rewriter) {
    if (node.type !== 'Property' || !node.method || !isFunction(node.value) || !node.value.generator) return false;
    if (node.computed) rewriter.write(node, '[', node.key, ']');
    else rewriter.output.copy(node.key.start, node.key.end);
    rewriter.write(node, node.value);
    return true;
  },
};

const yields: Rule = {
  id: 'yield',
  on: ['YieldExpression', 'CatchClause'],
  rewrite(node, rewriter) {
    if (node.type === 'CatchClause') {
      // The end of a loop over the generator is no error of its own.
      if (!rewriter.ancestors.some((outer) => isFunction(outer) && outer.generator) || rewriter.isInside(node))
        return false;
      if (node.param?.type !== 'Identifier') {
        if (node.param) throw new Refusal('a pattern is not supported in catch inside of a generator', node);
        rewriter.write(
          node,
          `catch (__ms_ended) { if (__ms_ended === ${rewriter.helper('stop')}) throw __ms_ended; `,
          node.body,
          '}',
        );
        return true;
      }
      rewriter.write(
        node,
        `catch (${node.param.name}) { if (${node.param.name} === ${rewriter.helper('stop')}) throw ${node.param.name}; `,
        node.body,
        '}',
      );
      return true;
    }
    if (node.type !== 'YieldExpression') return false;
    if (node.delegate && node.argument) {
      if (rewriter.ancestors.at(-1)?.type !== 'ExpressionStatement') {
        throw new Refusal('the value of yield* is not supported: return it in another way', node);
      }
      rewriter.write(node, `${rewriter.helper('each')}(`, node.argument, ', (value) => { __ms_yield(value); })');
      return true;
    }
    rewriter.output.write('__ms_yield(', node);
    if (node.argument) rewriter.write(node, node.argument);
    rewriter.output.write(')', node);
    return true;
  },
};

/** A loop that ends early would have to go on with it. */
function refuseYieldInFinally(body: AnyNode): void {
  walk(body, (node) => {
    if (node.type !== 'TryStatement' || !node.finalizer) return;
    walk(node.finalizer, (inner) => {
      if (inner.type === 'YieldExpression')
        throw new Refusal('yield in finally is not supported: yield before it', inner);
    });
  });
}

function usesThis(body: AnyNode, name: string): boolean {
  let found = false;
  walk(body, (inner) => {
    found ||= inner.type === 'Identifier' && inner.name === name;
  });
  return found;
}

const lists = new Set([
  'entries',
  'keys',
  'values',
  'split',
  'match',
  'map',
  'filter',
  'slice',
  'matchAll',
  'sort',
  'toSorted',
  'reverse',
  'from',
]);

function mayGenerate(node: AnyNode): boolean {
  const inner = unwrap(node);
  if (inner.type === 'ArrayExpression' || inner.type === 'Literal' || inner.type === 'TemplateLiteral') return false;
  const call = methodCall(inner);
  return call === undefined || !lists.has(call.name);
}

const loop: Rule = {
  id: 'generator-loop',
  on: ['ForOfStatement'],
  rewrite(node, rewriter) {
    if (node.type !== 'ForOfStatement' || !rewriter.facts.hasGenerators || node.await || !mayGenerate(node.right))
      return false;
    // The value of a script may be that of its last loop.
    const around = rewriter.ancestors.at(-1);
    const isLast = around?.type === 'Program' && around.body.at(-1) === node;
    const ends = isLast ? undefined : endsOf(node);
    if (ends === undefined) {
      // Its body cannot become a function: then all values are made before it begins.
      rewriter.output.copy(node.start, node.left.start);
      rewriter.write(node, node.left);
      rewriter.output.copy(node.left.end, node.right.start);
      rewriter.write(node, `${rewriter.helper('list')}(`, node.right, ')');
      rewriter.output.copy(node.right.end, node.body.start);
      rewriter.write(node, node.body);
      return true;
    }
    writeLoop(node, rewriter, ends);
    return true;
  },
};

/** What leaves the body of a loop; `undefined` for what no function body can do. */
interface Ends {
  breaks: Set<AnyNode>;
  continues: Set<AnyNode>;
  returns: Set<AnyNode>;
}

function endsOf(loop: ForOfStatement): Ends | undefined {
  const ends: Ends = { breaks: new Set(), continues: new Set(), returns: new Set() };
  let isPossible = loop.left.type === 'VariableDeclaration' && loop.left.kind !== 'var';
  const names = new Set<string>();
  if (loop.left.type === 'VariableDeclaration' && loop.left.kind === 'const') {
    for (const { id } of loop.left.declarations) bindingNames(id, names);
  }
  const visit = (node: AnyNode, inLoop: boolean, inSwitch: boolean): void => {
    if (isFunction(node)) return;
    if (node.type === 'AwaitExpression') isPossible = false;
    // A parameter could be assigned where the constant of the loop cannot.
    if (node.type === 'AssignmentExpression' || node.type === 'UpdateExpression') {
      const target = node.type === 'AssignmentExpression' ? node.left : node.argument;
      if (target.type === 'Identifier' && names.has(target.name)) isPossible = false;
    }
    if (node.type === 'BreakStatement' || node.type === 'ContinueStatement') {
      if (node.label) isPossible = false;
      else if (node.type === 'BreakStatement' && !inLoop && !inSwitch) ends.breaks.add(node);
      else if (node.type === 'ContinueStatement' && !inLoop) ends.continues.add(node);
    }
    if (node.type === 'ReturnStatement') ends.returns.add(node);
    const loops = /^(?:For|While|DoWhile)/.test(node.type) || inLoop;
    const switches = node.type === 'SwitchStatement' || inSwitch;
    for (const value of Object.values(node) as unknown[]) {
      for (const child of Array.isArray(value) ? (value as unknown[]) : [value]) {
        if (typeof child === 'object' && child !== null && 'type' in child) visit(child as AnyNode, loops, switches);
      }
    }
  };
  visit(loop.body, false, false);
  return isPossible ? ends : undefined;
}

function writeLoop(node: ForOfStatement, rewriter: Rewriter, { breaks, continues, returns }: Ends): void {
  if (node.left.type !== 'VariableDeclaration') return;
  const [declarator] = node.left.declarations;
  if (declarator === undefined) return;
  for (const one of breaks) rewriter.substitute(one, 'return __ms_break;');
  for (const one of continues) rewriter.substitute(one, 'return;');
  const isReturning = returns.size > 0;
  const left = isReturning ? rewriter.temporary() : '';
  if (isReturning) rewriter.output.write(`${left} = `, node);
  for (const one of returns) rewriter.markReturn(one);
  rewriter.write(node, `${rewriter.helper('each')}(`, node.right, ', (', declarator.id, ') => ');
  if (node.body.type === 'BlockStatement') rewriter.write(node, node.body);
  else rewriter.write(node, '{ ', node.body, ' }');
  rewriter.output.write(');', node);
  if (isReturning) rewriter.output.write(` if (${left} !== undefined) return ${left}.value;`, node);
}

const returnInLoop: Rule = {
  id: 'generator-return',
  on: ['ReturnStatement'],
  rewrite(node, rewriter) {
    if (node.type !== 'ReturnStatement' || !rewriter.isMarkedReturn(node)) return false;
    if (node.argument) rewriter.write(node, 'return { value: ', node.argument, ' };');
    else rewriter.output.write('return { value: undefined };', node);
    return true;
  },
};

/** Where all values are wanted at once, or the first few. */
const consumers: Rule = {
  id: 'generator-consumer',
  on: ['SpreadElement', 'CallExpression', 'NewExpression'],
  rewrite(node, rewriter) {
    if (!rewriter.facts.hasGenerators) return false;
    const list = rewriter.helper.bind(rewriter, 'list');
    if (node.type === 'SpreadElement') {
      if (rewriter.ancestors.at(-1)?.type === 'ObjectExpression' || !mayGenerate(node.argument)) return false;
      rewriter.write(node, `...${list()}(`, node.argument, ')');
      return true;
    }
    if (node.type === 'NewExpression') {
      if (node.callee.type !== 'Identifier' || !['Map', 'Set'].includes(node.callee.name)) return false;
      const [argument] = node.arguments;
      if (argument === undefined || argument.type === 'SpreadElement' || !mayGenerate(argument)) return false;
      rewriter.write(node, `new ${node.callee.name}(${list()}(`, argument, '))');
      return true;
    }
    const call = methodCall(node);
    if (call === undefined || node.type !== 'CallExpression' || call.object.type !== 'Identifier') return false;
    if (!['Array.from', 'Object.fromEntries', 'Promise.all'].includes(`${call.object.name}.${call.name}`)) return false;
    const [argument, ...more] = node.arguments;
    if (argument === undefined || argument.type === 'SpreadElement' || !mayGenerate(argument)) return false;
    rewriter.write(node, `${call.object.name}.${call.name}(${list()}(`, argument, ')');
    for (const other of more) rewriter.write(node, ', ', other);
    rewriter.output.write(')', node);
    return true;
  },
};

export const generatorRules: Rule[] = [generatorFunction, generatorMethod, returnInLoop, yields, loop, consumers];

export const generatorHelpers: Helper[] = [
  {
    name: 'generator',
    code: ({ classMembers }) => `const __ms_stop = { name: 'stop' };
const __ms_break = { name: 'break' };
function __ms_generator(run) {
  return { isGenerator: true, isUsed: false, run, next() { __ms_refuse('next() of a generator is not supported: loop over it with for (const value of ...), or spread it'); } };
}
function __ms_isGenerator(value) { return typeof value === 'object' && value !== null && value.isGenerator === true; }
const __ms_iterators = new Map();
function __ms_iterable(object, call) { __ms_iterators.set(object, call); return object; }
function __ms_ownIterator(value) {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  const own = __ms_iterators.get(value);
  if (own !== undefined) return own;
  ${
    classMembers.size > 0
      ? `const record = __ms_classOf.get(value);
  return record === undefined || record.isOwn ? undefined : __ms_inherited(record, 'methods', '@@iterator');`
      : 'return undefined;'
  }
}
function __ms_iteratorMethod(value) {
  if (value === null || value === undefined) throw new TypeError('Cannot read properties of ' + String(value));
  if (typeof value === 'string') return () => value.split('').values();
  if (typeof value !== 'object') return undefined;
  const own = __ms_ownIterator(value);
  if (own !== undefined) return () => own.call(value);
  if (Array.isArray(value)) return () => value.values();
  if (value instanceof Map) return () => value.entries();
  if (value instanceof Set) return () => value.values();
  return __ms_isGenerator(value) || (typeof value.next === 'function' && !Object.hasOwn(value, 'next')) ? () => value : undefined;
}
function __ms_iteratorOf(value) {
  const method = __ms_iteratorMethod(value);
  if (method === undefined) throw new TypeError('The value is not iterable');
  return method();
}
function __ms_walk(iterator, step) {
  for (;;) {
    const result = ${classMembers.has('next') ? "__ms_call(iterator, 'next')" : 'iterator.next()'};
    if (typeof result !== 'object' || result === null) throw new TypeError('Iterator result ' + String(result) + ' is not an object');
    if (result.done) return undefined;
    let said;
    try { said = step(result.value); } catch (error) {
      if (typeof iterator.return === 'function') iterator.return();
      throw error;
    }
    if (said === undefined) continue;
    if (typeof iterator.return === 'function') iterator.return();
    return said === __ms_break ? undefined : said;
  }
}
function __ms_each(given, step) {
  let values = given;
  const own = __ms_ownIterator(given);
  if (own !== undefined) {
    values = own.call(given);
    if (!__ms_isGenerator(values)) return __ms_walk(values, step);
  }
  if (__ms_isGenerator(values)) {
    if (values.isUsed) return undefined;
    values.isUsed = true;
    let left;
    try {
      values.run((value) => {
        const said = step(value);
        if (said !== undefined) { left = said; throw __ms_stop; }
      });
    } catch (error) {
      if (error !== __ms_stop) throw error;
    }
    return left === __ms_break ? undefined : left;
  }
  for (const value of values) {
    const said = step(value);
    if (said === __ms_break) return undefined;
    if (said !== undefined) return said;
  }
  return undefined;
}
function __ms_list(values, most) {
  if (!__ms_isGenerator(values) && __ms_ownIterator(values) === undefined) return values;
  const found = [];
  if (most === 0) return found;
  __ms_each(values, (value) => {
    found.push(value);
    return found.length === most ? __ms_break : undefined;
  });
  return found;
}`,
  },
];
