import fc from 'fast-check';
import { code, list, oneOf } from './code.mjs';
import { control } from './control.mjs';
import { effects } from './effects.mjs';
import { generators } from './generators.mjs';

/** Functions, classes, generators, accessors, errors. @param {Record<string, import('fast-check').Arbitrary<string>>} g */
export function functions(g) {
  const parameters = oneOf(
    'a',
    'a, b',
    'a = 1',
    'a, b = a',
    '...a',
    'a, ...b',
    '{ a, b = 2 }',
    '[a, ...b]',
    '{ a: { b } = {} }',
    '{ a, ...b }',
    '{ length: a }',
    'a, { b } = { b: 3 }',
  );
  const seen = oneOf('a', 'typeof b', '[a]', '`${a}`', 'arguments.length');
  const body = fc.oneof(
    code`${g.any}`,
    code`{ return ${seen}; }`,
    code`{ ${g.statement} return [${seen}, ${g.any}]; }`,
  );
  const call = code`(${list(g.any, { max: 3 })})`;
  const error = oneOf('Error', 'TypeError', 'RangeError', 'SyntaxError');
  return {
    any: [
      code`((${parameters}) => { return ${oneOf('a', '[a]', '`${a}`', 'typeof a')}; })${call}`,
      code`(function (${parameters}) { return ${seen.filter((text) => !/\bb\b/.test(text))}; })${call}`,
      code`(function self(a) { return a > ${oneOf('0', '2', '3')} ? [a, self(a - 1)] : ${g.any}; })(${oneOf('0', '3', '4')})`,
      code`((a, b = ${g.any}${oneOf('', ', c = b', ', ...c')}) => [a, b])${call}`,
      code`(() => ${body.filter((text) => !/\b(?:a|b|arguments)\b/.test(text))})()`,
      code`((f) => [f(), f(), f()])(((n) => () => (n += ${oneOf('1', '2', "'a'")}))(${g.num}))`,
      code`(() => { ${g.statement} ${g.statement} return ${g.any}; })()`,
      code`(() => { try { ${g.statement} ${fc.oneof(code`return ${g.any};`, code`throw new ${error}(${g.str});`)} } catch (e) { return [e.name, ${oneOf('e.message', 'e instanceof TypeError', 'String(e)', '`${e}`', '1')}]; } finally { ${g.statement} } })()`,
      code`((a) => { ${oneOf('const', 'let', 'var')} ${oneOf('[b, c = 3, ...r]', '[, b]', '[[b] = [7]]')} = a; return ${oneOf('b', '[b]')}; })(${fc.oneof(g.nums, g.strs, g.str, g.map, g.set)})`,
      code`((o) => { const { ${oneOf('a, ...r', 'a = 5, ...r', '[s]: a, ...r', '[x]: a, ...r', '[0]: a, 1: r1, ...r', 'length: a, ...r', "'x y': a, ...r")} } = o; return [a, r]; })(${fc.oneof(g.obj, g.nums, g.str, g.any)})`,
      code`((a, b) => { [a, b] = [b, a]; return [a, b]; })(${g.num}, ${g.str})`,
      code`(new (class { #n = ${g.num}; static made = 0; name = ${g.str}; constructor(k) { this.k = k; } get double() { return this.#n * 2; } set n(v) { this.#n = v; } add(v) { this.#n += v; return this; } toString() { return \`<\${this.k}\${this.#n}>\`; } })(${g.any}))${oneOf('.double', '.add(1).double', '.toString()', ".add('x').toString()", '.name', '.k', ' + ""', '.constructor.made')}`,
      code`((A) => { class B extends A { constructor(v) { super(v); this.w = ${g.any}; } hi() { return super.hi() + '!'; } } const b = new B(${g.num}); return [b.hi(), b instanceof A, b.w, ${oneOf('b.v', 'Object.keys(b)', 'B.name', 'B.make(4).v', 'JSON.stringify(b)', 'typeof B')}]; })(class A { constructor(v) { this.v = v; } hi() { return \`hi \${this.v}\`; } static make(v) { return new this(v); } })`,
      code`[...(function* (a) { let x = 0; while (x < ${oneOf('2', '3')}) { yield ${g.any}; x++; } ${oneOf('', 'yield* [8, 9];', 'return 5;')} })(${g.num})]`,
      code`((g) => { const seen = []; for (const v of g()) { if (seen.length > 3) break; seen.push(v); } return seen; })(function* () { let n = ${g.num}; for (;;) yield n++; })`,
      code`((g) => [g.next(), g.next(${g.num}), g.next()])((function* () { const v = yield 1; yield [v]; })())`,
      generators(),
      control(),
      effects(),
      code`({ get v() { return ${g.any}; } }).v`,
      code`((o) => { o.v = ${g.num}; return [o.v, o.w]; })({ set v(x) { this.w = x; }, get v() { return this.w; } })`,
      code`({ f() { return this.n; }, n: ${g.any} }).f()`,
      code`((strings, ...values) => [strings.join('|'), values])\`a\${${g.any}}b\${${g.num}}\``,
      code`({ [Symbol.iterator]: function* () { yield ${g.num}; yield ${g.str}; }, n: 1 })`,
      code`[...{ *[Symbol.iterator]() { yield ${g.any}; yield 2; } }]`,
      code`(${oneOf('parseInt', 'Math.max', 'String', '((a, b) => 1)', 'function named(a, b = 1) {}')}).${oneOf('name', 'length')}`,
      code`(function () { return ${oneOf('this.n', '[...arguments]', 'arguments[0]')}; }).call({ n: ${g.num} }, ${g.any})`,
    ],
    dateLike: [
      code`({ valueOf() { return ${g.num}; }, toString() { return ${g.str}; } }) ${oneOf('+ 1', "+ 'x'", '* 2', '> 1', '== 2')}`,
      code`\`\${{ toString() { return ${g.str}; } }}\``,
      code`[${list(g.any)}] + ${g.any}`,
    ],
  };
}
