import { Refusal, type Rewriter } from '../../rewriter.ts';
import type { Helper } from '../../helper.ts';
import type { Rule } from '../../rule.ts';
import type { AnyNode } from '../../syntax.ts';
import { declarationOf } from '../destructuring.ts';

type Loop = AnyNode & { type: 'ForOfStatement' };

/**
 * The engine's own loop knows lists of promises, and no asynchronous iterators.
 *
 *     for await (const x of pages()) f(x);
 *     { const t = __ms_asyncIteratorOf(pages()); let u = false;
 *       try { for (;;) { u = false; const r = await t.next(); if (__ms_checkedResult(r).done) break; u = true; const x = r.value; { f(x); } } u = false; }
 *       catch (e) { if (u) await __ms_leave(t, true); u = false; throw e; } finally { if (u) await __ms_leave(t); } }
 */
export const asyncLoop: Rule = {
  id: 'async-loop',
  on: ['ForOfStatement'],
  rewrite(node, rewriter) {
    if (node.type !== 'ForOfStatement' || !node.await || !rewriter.facts.hasAsyncIterators) return false;
    const around = rewriter.ancestors.at(-1);
    if (around?.type === 'LabeledStatement') {
      throw new Refusal('for await with a label is not supported: write a function with a return', node);
    }
    if (around?.type === 'Program' && around.body.at(-1) === node) {
      throw new Refusal('for await as the last statement is not supported: end with the value that it makes', node);
    }
    writeLoop(node, rewriter);
    return true;
  },
};

function writeLoop(node: Loop, rewriter: Rewriter): void {
  const [iterator, isOpen, result, error] = [rewriter.name(), rewriter.name(), rewriter.name(), rewriter.name()];
  const leave = rewriter.helper('leave');
  const next = rewriter.facts.classMembers.has('next') ? `__ms_call(${iterator}, 'next')` : `${iterator}.next()`;
  const check = rewriter.helper('checkedResult');
  rewriter.write(node, `{ const ${iterator} = ${rewriter.helper('asyncIteratorOf')}(`, node.right, '); ');
  rewriter.output.write(`let ${isOpen} = false; try { for (;;) { ${isOpen} = false; `, node);
  rewriter.output.write(
    `const ${result} = await ${next}; if (${check}(${result}).done) break; ${isOpen} = true; `,
    node,
  );
  writeTarget(node, `${result}.value`, rewriter);
  rewriter.write(node, '{ ', node.body, ' } ');
  rewriter.output.write(
    `} } catch (${error}) { if (${isOpen}) { ${isOpen} = false; await ${leave}(${iterator}, true); } throw ${error}; } `,
    node,
  );
  rewriter.output.write(`finally { if (${isOpen}) await ${leave}(${iterator}); } }`, node);
}

function writeTarget({ left }: Loop, value: string, rewriter: Rewriter): void {
  if (left.type !== 'VariableDeclaration') return rewriter.write(left, '(', left, ` = ${value}); `);
  if (left.kind === 'var') throw new Refusal('for await with var is not supported: write const', left);
  const target = left.declarations[0]?.id as AnyNode;
  rewriter.write(left, `${left.kind} `, ...declarationOf(target, value, rewriter), '; ');
}

export const asyncHelpers: Helper[] = [
  {
    name: 'asyncGenerator',
    // Whoever asks gets a promise, one after the other; `yield` waits for the next who asks.
    code: `function __ms_asyncGenerator(run) {
  const queue = [];
  let isBegun = false;
  let isOver = false;
  let isBusy = false;
  let stop;
  let returned;
  const answer = (isFailed, value) => {
    const { resolve, reject } = queue.shift();
    isBusy = false;
    if (isFailed) reject(value);
    else resolve(value);
    goOn();
  };
  const give = (value) => {
    stop = Promise.withResolvers();
    const { promise } = stop;
    answer(false, { value, done: false });
    return promise;
  };
  const finish = (isFailed, value) => {
    isOver = true;
    if (isFailed && value === __ms_stop) answer(false, { value: returned, done: true });
    else answer(isFailed, isFailed ? value : { value, done: true });
  };
  const begin = async () => {
    let value;
    try { value = await run(give); } catch (error) { finish(true, error); return; }
    finish(false, value);
  };
  const over = async (how, sent) => {
    let value;
    try { value = how === 2 ? await sent : undefined; } catch (error) { answer(true, error); return; }
    if (how === 1) answer(true, sent);
    else answer(false, { value, done: true });
  };
  const goOn = () => {
    if (isBusy || queue.length === 0) return;
    const { how, sent } = queue[0];
    isBusy = true;
    if (!isBegun && how !== 0) isOver = true;
    if (isOver) over(how, sent);
    else if (!isBegun) { isBegun = true; begin(); }
    else if (how === 0) stop.resolve(sent);
    else if (how === 1) stop.reject(sent);
    else { returned = sent; stop.reject(__ms_stop); }
  };
  const ask = (how, sent) => {
    const { promise, resolve, reject } = Promise.withResolvers();
    queue.push({ how, sent, resolve, reject });
    goOn();
    return promise;
  };
  return { isAsyncGenerator: true, next: (sent) => ask(0, sent), return: (sent) => ask(2, sent), throw: (error) => ask(1, error) };
}`,
  },
  {
    name: 'asyncIterators',
    code: ({ classMembers }) => `const __ms_asyncIterators = new Map();
function __ms_asyncIterable(object, call) { __ms_asyncIterators.set(object, call); return object; }
function __ms_asyncIteratorMethod(value) {
  if (value === null || value === undefined) throw new TypeError('Cannot read properties of ' + String(value));
  if (typeof value !== 'object') return undefined;
  if (value.isAsyncGenerator === true) return () => value;
  const own = __ms_asyncIterators.get(value);
  if (own !== undefined) return () => own.call(value);
  ${
    classMembers.size > 0
      ? `const record = __ms_classOf.get(value);
  const method = record === undefined || record.isOwn ? undefined : __ms_inherited(record, 'methods', '@@asyncIterator');
  return method === undefined ? undefined : () => method.call(value);`
      : 'return undefined;'
  }
}
function __ms_asyncIteratorOf(value) {
  const method = __ms_asyncIteratorMethod(value);
  if (method !== undefined) return method();
  const iterator = __ms_iteratorOf(value);
  return {
    async next() {
      const result = ${classMembers.has('next') ? "__ms_call(iterator, 'next')" : 'iterator.next()'};
      return { value: await result.value, done: result.done };
    },
    async return() {
      if (Object.hasOwn(iterator, 'return')) iterator.return();
      return {};
    },
  };
}
async function __ms_leave(iterator, isQuiet) {
  if (${classMembers.has('return') ? "typeof __ms_get(iterator, 'return') !== 'function'" : "!Object.hasOwn(iterator, 'return')"}) return;
  try { await ${classMembers.has('return') ? "__ms_call(iterator, 'return')" : 'iterator.return()'}; } catch (error) { if (isQuiet !== true) throw error; }
}
function __ms_checkedResult(result) {
  if (typeof result !== 'object' || result === null) throw new TypeError('Iterator result ' + String(result) + ' is not an object');
  return result;
}
const __ms_yieldAll = async (give, values) => {
  const iterator = __ms_asyncIteratorOf(values);
  let sent;
  let isThrown = false;
  for (;;) {
    const { value, done } = __ms_checkedResult(await (isThrown ? iterator.throw(sent) : ${classMembers.has('next') ? "__ms_call(iterator, 'next', sent)" : 'iterator.next(sent)'}));
    if (done) return value;
    isThrown = false;
    try { sent = await give(value); } catch (error) {
      if (error === __ms_stop) {
        const last = Object.hasOwn(iterator, 'return') ? await iterator.return() : { done: true };
        if (!last.done) __ms_refuse('a yield in finally behind yield* of an async generator is not supported');
        throw error;
      }
      if (!Object.hasOwn(iterator, 'throw')) {
        await __ms_leave(iterator);
        throw new TypeError('The iterator does not provide a throw method');
      }
      sent = error;
      isThrown = true;
    }
  }
};`,
  },
];
