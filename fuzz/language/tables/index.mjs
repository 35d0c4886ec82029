import { few, huge, kinds } from './kinds.mjs';
import { constructors, functionTable, methods } from './methods.mjs';
import { bracketed, operatorCells, pairs } from './operators.mjs';

/** What cannot leave a script, as what can. */
const shownBy = {
  Date: 'X.getTime()',
  Map: '[...X]',
  Set: '[...X]',
  RegExp: '[X.source, X.flags]',
  Array: 'X',
  Error: '[X.name, X.message, `${X}`]',
  TypeError: '[X.name, X.message, `${X}`]',
};
const typed = /^new \w+(?:8|16|32|64|Clamped)Array\(/;
const givesTyped = new Set(['slice', 'subarray', 'toReversed', 'toSorted', 'with', 'filter', 'map', 'sort']);
const three = ['undefined', '1', '(-1)', "'b'"];

/**
 * Every method, function and operator with every kind of argument: a program for each. Always the same ones, in the same
 * order.
 *
 * @returns {string[]}
 */
export function tablePrograms() {
  const programs = new Set([
    ...methodCells(),
    ...functionCells(),
    ...constructorCells(),
    ...keptCells(),
    ...operatorCells(),
  ]);
  return [...programs];
}

function* methodCells() {
  for (const { on, methods: names, first = kinds, changes, spread, sizes } of methods) {
    for (const [name, count] of signatures(names)) {
      for (const [at, receiver] of on.entries()) {
        for (const list of argumentLists(count, first, at === 0)) {
          if (sizes === true && huge.has(list[0])) continue;
          const show =
            typed.test(receiver) && givesTyped.has(name) ? 'Array.from(X)' : spread === true ? '[...X]' : 'X';
          if (changes === true) yield changing(receiver, name, list);
          else yield* calls((o) => `${o}.${name}`, receiver, list, show);
        }
      }
    }
  }
}

function* functionCells() {
  for (const { names, first = kinds } of functionTable) {
    for (const [name, count] of signatures(names)) {
      for (const list of argumentLists(count, first, true)) {
        if (name === 'Array' && huge.has(list[0]) && list.length === 1) continue;
        yield* calls(() => name, undefined, list, name === 'Object.freeze' ? 'typeof X' : 'X');
      }
    }
  }
}

function* constructorCells() {
  for (const { names, first = kinds } of constructors) {
    for (const [name, count] of signatures(names)) {
      const show = shownBy[name] ?? (name.endsWith('Array') ? 'Array.from(X)' : 'typeof X');
      for (const list of argumentLists(count, first, true)) {
        // That is now.
        if (name === 'Date' && list.length === 0) continue;
        if (name.endsWith('Array') && huge.has(list[0])) continue;
        yield* calls(() => `new ${name}`, undefined, list, show);
      }
    }
  }
}

/** What a list of bytes keeps of a value. */
function* keptCells() {
  for (const type of ['Int8', 'Uint8', 'Uint8Clamped', 'Int16', 'Uint16', 'Int32', 'Uint32', 'Float32', 'Float64']) {
    for (const kind of kinds) {
      yield `const list = new ${type}Array(2);\nlist[1] = ${kind};\n(Array.from(list));`;
      if (type === 'Uint8Clamped') continue;
      for (const little of ['', ', true']) {
        yield `const view = new DataView(new ArrayBuffer(8));\nview.set${type}(0, ${kind}${little});\n(Array.from(new Uint8Array(view.buffer)));`;
      }
    }
  }
}

/** @returns {[string, number][]} */
function signatures(names) {
  return [...names.matchAll(/([\w.]+)\((\d)\)/g)].map(([, name, count]) => [name, Number(count)]);
}

/** @returns {Generator<string[]>} */
function* argumentLists(count, first, isWide) {
  yield [];
  if (count === 0) return;
  for (const one of first) yield [one];
  if (count === 1) return;
  if (first !== kinds) for (const one of first) for (const other of isWide ? kinds : few) yield [one, other];
  else if (isWide) yield* pairs();
  else for (const one of few) for (const other of three) yield [one, other];
  if (count === 2) return;
  for (const one of three)
    for (const other of three) for (const last of isWide ? [...few, "'x'"] : three) yield [one, other, last];
}

/** Where what stands there can be seen and an error ends it, and where only the values tell, and it is caught. */
function* calls(callee, receiver, list, show) {
  const inPlace = `${callee(receiver === undefined ? '' : bracketed(receiver))}(${list.join(', ')})`;
  yield `(${show.replaceAll('X', inPlace)});`;
  const names = ['a', 'b', 'c', 'd'].slice(0, list.length);
  const all = receiver === undefined ? list : [receiver, ...list];
  const call = show.replaceAll('X', `${callee('o')}(${names.join(', ')})`);
  const parameters = receiver === undefined ? names : ['o', ...names];
  yield `const f = (${parameters.join(', ')}) => { try { return ${call}; } catch (e) { return e.name; } };\n(f(${all.join(', ')}));`;
}

function changing(receiver, name, list) {
  const left = receiver.startsWith('new Date') ? 'o.getTime()' : typed.test(receiver) ? 'Array.from(o)' : 'o';
  return `const o = ${receiver};\nlet r;\ntry { r = o.${name}(${list.join(', ')}); } catch (e) { r = e.name; }\n([r === o ? 'itself' : r, ${left}]);`;
}
