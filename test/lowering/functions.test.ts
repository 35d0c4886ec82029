import { expect, it } from 'vitest';
import { expectAsInV8, run } from './support.ts';

it.each([
  `var total = 0; for (const n of [1,2,3]) total += n; total`,
  `for (var i = 0; i < 3; i++); i`,
  `for (var i = 0, j = 5; i < 3; i++) j++; j`,
  `var a = 1; { var a = 2 } a`,
  `function f(){ if (true) { var x = 5 } return x } f()`,
  `function f(x){ var x; return x } f(3)`,
  `const r=[]; for (var i=0;i<3;i++) r.push(()=>i); r.map(g=>g())`,
  `var {a, b:[c]} = {a:1,b:[2]}; a+c`,
  `for (var k in {a:1,b:2}); k`,
  `for (var v of [1,2]) {} v`,
  `var x; x === undefined`,
  `const f = () => { var y = 1; y++; return y }; f()`,
  `const fact = function self(n){ return n<2?1:n*self(n-1) }; fact(5)`,
  `(function(){ return arguments.length })(1,2)`,
  `function f(a, b=7){ return [arguments.length, a, b, arguments[0]] } f(1)`,
  `function f(){ const g = () => arguments[0]; return g() } f(9)`,
  `function f(){ return [...arguments].join() } f(1,2,3)`,
  `(function () { const args = arguments; return Math.max.apply(null, args); })(1, 3)`,
  `(function () { const [a, b] = arguments; return [a, b, arguments['0'], Array.from(arguments)]; })(1, 3)`,
  `function f(a, b = arguments.length) { return b; } f(1)`,
  `function f() { const args = arguments; let n = 0; for (const a of args) n += a; return [n, args.length, args[1], [...args], Array.from(args), [].slice.call(args, 1), Object.keys(args)]; } f(1, 2)`,
  `let args; function f() { args = arguments; return args.length; } f(1, 2); [args.length, args[0], ...args]`,
  `function f() { let b; [b] = arguments; const { length } = arguments; return [b, length]; } f(1, 2)`,
  `function f() { const self = this, args = arguments; return (() => Math.max.apply(self, args))(); } f(1, 3)`,
  `class A { constructor(a, b = 2) { this.all = [arguments.length, a, b]; } } new A(1).all`,
  `class B { constructor(a) { this.a = a; } } class A extends B { constructor() { super(...arguments); this.n = arguments.length; } } const a = new A(1, 2); [a.n, a.a]`,
  `function sum(){ var t=0; for (var i=0;i<arguments.length;i++) t+=arguments[i]; return t } sum(1,2,3)`,
  `String.raw\`a\\n\${1}b\``,
  `const tag = (s, ...v) => s.raw.join('|') + v.join(); tag\`a\${1}b\${2}c\``,
  `const o = {t(s){ return s[0] + this.x }, x: 1}; o.t\`q\``,
])('%s', (script) => expectAsInV8(script));

// A list in the engine, and none in JavaScript.
it.each([
  `(function () { return Array.isArray(arguments); })(1)`,
  `(function () { return JSON.stringify(arguments); })(1)`,
  `(function () { return Object.prototype.toString.call(arguments); })(1)`,
  `(function () { return 'given: ' + arguments; })(1)`,
  `(function () { return arguments instanceof Array; })(1)`,
  `(function () { return [].concat(arguments).length; })(1, 2)`,
  `const kind = (list) => Array.isArray(list); (function () { return kind(arguments); })(1)`,
  `const key = (list) => JSON.stringify(list); (function () { const args = arguments; return key(args); })(1)`,
  `(function () { const args = arguments; return JSON.stringify(args); })(1)`,
  `(function () { return { args: arguments }; })(1).args.map((n) => n)`,
  `(function () { let args; args = arguments; return args.map((n) => n); })(1)`,
  `let args; (function () { args = arguments; })(1); Array.isArray(args)`,
  `(function () { let args; return (args = arguments).map; })(1)`,
  `(function () { return arguments; })(1, 2)`,
  `(function () { try { return arguments.map((n) => n); } catch { return 'none'; } })(1)`,
])('%s is refused', async (script) => {
  await expect(run(script)).rejects.toHaveProperty('code', 'unsupported_syntax');
});
