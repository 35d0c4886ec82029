import { expect, it } from 'vitest';
import { expectAsInV8, run } from './support.ts';

it.each([
  `Array.prototype.map.call('abc', (letter) => letter + letter)`,
  `Array.prototype.slice.call({ 0: 'a', 1: 'b', length: 2 })`,
  `Array.prototype.slice.call('abc', 1, undefined)`,
  `Array.prototype.join.call('abc', '-')`,
  `[].indexOf.call('abc', 'b')`,
  `Array.prototype.sort.call([10, 9, 1])`,
  `const list = [1]; [Array.prototype.push.call(list, 2), list]`,
  `(function () { return Array.prototype.slice.call(arguments, 1); })(1, 2, 3)`,
  `Array.prototype.map.call(null, (n) => n)`,
  `Array.prototype.map.call(new Set([1]), (n) => n)`,
  `''.replace.call('a.b', '.', '$&$&')`,
  `[String.prototype.trim.call(' a '), String.prototype.slice.call(12345, 1, 3), String.prototype.charAt.call('abc', -1)]`,
  `String.prototype.trim.call(undefined)`,
  `class P { toString() { return ' p '; } } String.prototype.trim.call(new P())`,
  `Map.prototype.get.call(new Map([[1, 2]]), 1)`,
  `Map.prototype.get.call(new Set([1]), 1)`,
  `RegExp.prototype.test.call(/a/, 'a')`,
  `Number.prototype.toFixed.call(3.14159, 2)`,
  `if (!String.prototype.padStart) throw new Error('none'); typeof String.prototype.trim`,
  `const { hasOwnProperty } = Object.prototype; hasOwnProperty.call({ a: 1 }, 'a')`,
  `const { slice } = Array.prototype; slice.call([1, 2], 1)`,
  `if (!Promise.prototype.finally) throw new Error('none'); typeof Promise.prototype.then`,
  `const p = Promise.resolve(1); p.finally === Promise.prototype.finally`,
  `const o = { code: String.prototype.charCodeAt, length: 3 }; o.code(1)`,
  `const o = { toString: () => 'xyz' }; String.prototype.charCodeAt.call(o, 2)`,
  `[new Number().valueOf(), String(new Number()), new String().length, String(new String)]`,
  `const row = { prototype: 1 }; row.prototype = 2; row.prototype`,
])('%s', (script) => expectAsInV8(script));

// Each gave another value, or threw an error that a script can catch.
it.each([
  `function P() {} P.prototype.toString = function () { return 'p'; }; String(new P())`,
  `class P {} P.prototype.toJSON = () => 'p'; JSON.stringify(new P())`,
  `function P() {} P.prototype = { size: 1 }; new P().size`,
  `Array.prototype.toString = () => 'x'; String([1])`,
  `Array.prototype.size = 1; [].size`,
  `Object.assign(Array.prototype, { size: 1 }); [].size`,
  `'trim' in String.prototype`,
  `const { trim } = String.prototype; typeof trim`,
  `const { prototype } = Promise; const wait = Promise.prototype.then; typeof wait`,
  `const wait = Promise.prototype.finally; typeof wait`,
  `const o = { code: String.prototype.charCodeAt, toString() { return 'xyz'; } }; o.code(2)`,
  `const o = {}; o.code = String.prototype.codePointAt; o.toString = () => 'xyz'; o.code(2)`,
  `const o = { toString() { throw 'mine'; } }; let e; try { String.prototype.charCodeAt.apply(o); } catch (error) { e = error; } e`,
  `const name = 'trim'; typeof String.prototype[name]`,
  `const trim = String.prototype.trim; let value = 1; try { value = trim.call('a'); } catch { value = 2; } value`,
  `[' a'].map(Function.prototype.call, String.prototype.trim)`,
  `let value = 0; try { Array.prototype.forEach.call({ length: 2, 1: 5 }, (n) => { value += n; }); } catch {} value`,
  `let value = 0; try { Array.prototype.push.call({ length: 1 }, 2); } catch { value = 1; } value`,
])('%s is refused', async (script) => {
  await expect(run(script)).rejects.toHaveProperty('code');
});
