import fc from 'fast-check';
import { code, oneOf } from './code.mjs';

const value = oneOf('n++', "'a'", '7', 'yield n', '[yield 1, yield 2]', '(yield 3) + n', '`${yield 4}b`');
const test = oneOf('n % 2', 'yield 5', 'n < 4', '(yield 6) || n > 2', '!(yield)', 'true', 'n > 3 && (yield 8)');
const jump = oneOf('', '', 'continue;', 'break;', 'break out;', 'continue out;', 'return 9;', 'return yield 10;');

/** Statements of a generator, all of which end. The names that they use are declared by `generators`. */
const { body } = fc.letrec((g) => ({
  body: fc.array(g('statement'), { minLength: 1, maxLength: 3 }).map((all) => all.join(' ')),
  statement: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    code`yield ${value};`,
    code`log.push(${value});`,
    code`log.push(n, yield ${value}, log.length);`,
    code`n += yield ${value};`,
    oneOf('yield* inner();', 'log.push(yield* inner());', "yield* 'xy';", 'yield* [n, 2];', 'if (n > 4) return n;'),
    oneOf("throw new RangeError('r');", 'null.x;', 'return yield 11;', 'n++;', 'return;'),
    code`{ const v = yield ${value}; let { a = 1, ...w } = { a: v, b: 2 }; const f = () => [v, a++, w]; ${g('body')} log.push(f(), f()); }`,
    code`if (${test}) { ${g('body')} } else { ${g('body')} }`,
    code`for (let i = 0; i < 3; i++) { later.push(() => i); ${g('body')} if (i === 1) { ${inLoop()} } log.push(i); }`,
    code`out: for (const [k, x] of [['p', 1], ['q', 2]].concat(n)) { ${g('body')} for (let j = 0; j < 2; j++) { ${g('body')} if (j + x > 2) { ${jump} } } log.push(k); }`,
    code`for (const k in { c: 1, d: 2 }) { log.push(k); ${g('body')} }`,
    code`while (n++ < 6) { ${g('body')} if (${test}) { ${inLoop()} } }`,
    code`do { ${g('body')} } while (n++ < 3);`,
    code`for (var w = 0; w < 2; w++) ${g('statement')}`,
    code`try { ${g('body')} } catch (e) { log.push(e.name ?? e); ${g('body')} }`,
    code`try { ${g('body')} } finally { log.push('f'); ${g('body')} }`,
    code`try { ${g('body')} } catch { ${g('body')} } finally { log.push('g'); }`,
    code`switch (${value}) { case 7: ${g('body')} break; case 'a': { ${g('body')} } default: ${g('body')} }`,
    code`out: { ${g('body')} if (n % 3) break out; ${g('body')} }`,
    code`for (const x of inner()) { log.push(x); if (n++ % 2) { ${inLoop()} } }`,
    code`for (const x of inner()) { ${g('body')} }`,
  ),
}));

function inLoop() {
  return jump.filter((text) => !text.includes('out'));
}

const step = fc.oneof(
  { weight: 6, arbitrary: code`step(() => it.next(${oneOf('1', "'s'", 'undefined', '0')}));` },
  { weight: 1, arbitrary: oneOf("step(() => it.throw(new TypeError('t')));", "step(() => it.throw('u'));") },
  { weight: 1, arbitrary: oneOf('step(() => it.return(12));', 'step(() => [...it].slice(0, 9));') },
  { weight: 1, arbitrary: oneOf('step(() => { for (const x of it) { seen.push(x); if (seen.length > 2) break; } });') },
);

/** Generators that stop in the middle of what they do, and are asked for their values in every way. */
export function generators() {
  const steps = fc.array(step, { minLength: 2, maxLength: 7 }).map((all) => all.join(' '));
  return code`(() => {
    const log = [], seen = [], later = []; let n = 0;
    function* inner() { try { const a = yield 'i'; log.push(a); yield n; return 'r'; } finally { log.push('if'); n++; } }
    function* g() { ${body} }
    const it = g();
    const step = (f) => { try { seen.push(f()); } catch (e) { seen.push('thrown', e instanceof Error ? e.name : e); } };
    ${steps}
    return [seen, log, later.map((f) => f())];
  })()`;
}
