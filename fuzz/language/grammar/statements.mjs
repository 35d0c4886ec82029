import fc from 'fast-check';
import { code, oneOf } from './code.mjs';
import { number } from './literals.mjs';

/**
 * Statements. Every loop ends: it counts for itself. @param {Record<string, import('fast-check').Arbitrary<string>>} g
 * @returns {import('fast-check').Arbitrary<string>[]}
 */
export function statements(g) {
  const assign = oneOf('=', '+=', '-=', '*=', '??=', '||=', '&&=', '>>=', '%=');
  const jump = oneOf('', 'if (i === 1) continue;', 'if (i > 0) break;', 'if (out.length > 4) break;');
  const block = fc.array(g.statement, { maxLength: 2 }).map((all) => all.join(' '));
  return [
    code`out.push(${g.any});`,
    code`out.push(${g.num}, ${g.str});`,
    code`x ${assign} ${g.num};`,
    code`x **= ${g.num}; x = Number(x.toPrecision(12));`,
    code`s += ${g.any};`,
    code`xs.push(${g.num});`,
    code`o[${fc.oneof(g.str, g.num)}] ${oneOf('=', '+=', '??=')} ${g.any};`,
    // What is assigned may not change the list that is the key: a documented difference.
    code`o[${g.any}] ${oneOf('=', '+=', '??=')} ${number};`,
    code`if (${g.any}) { ${block} } else { ${block} }`,
    code`for (let i = 0; i < ${oneOf('2', '3')}; i++) { ${jump} ${block} }`,
    code`for (var i = ${oneOf('0', '1')}; i < 3; i++) { ${block} out.push(i); }`,
    // The list may be one that the block adds to.
    code`for (const x of ${g.nums}) { ${block} out.push(x); if (out.length > 12) break; }`,
    code`for (const [i, s] of (${g.strs}).entries()) { ${jump} out.push(i + s); }`,
    code`for (const s of ${g.str}) { out.push(s); if (out.length > 6) break; }`,
    code`for (const [k, v] of ${g.map}) { out.push([k, v]); }`,
    code`for (const k in ${fc.oneof(g.obj, g.nums, g.str)}) { out.push(k); }`,
    code`for (const [k, v] of Object.entries(${g.obj})) { ${block} out.push(k); }`,
    code`{ let i = 0; while (i++ < 3) { ${jump} ${block} } }`,
    code`{ let i = 0; do { ${block} } while (++i < 2); }`,
    code`outer: for (let i = 0; i < 3; i++) { for (let j = 0; j < 3; j++) { if (${g.bool}) ${oneOf('continue outer', 'break outer', 'continue', 'break')}; out.push(i * 3 + j); } }`,
    code`switch (${g.any}) { case ${g.any}: out.push('one'); ${oneOf('', 'break;')} case ${g.any}: out.push('two'); break; default: ${block} out.push('other'); }`,
    code`try { ${block} ${fc.oneof(code`out.push(${g.any});`, code`throw ${g.any};`, oneOf('null.x;', 'undefinedName;', 'x();', "throw new Error('e');"))} } catch (e) { out.push(e instanceof Error ? e.name : e); }`,
    code`try { ${block} } finally { out.push('finally'); }`,
    code`{ const { a = ${g.num}, ...rest } = ${g.obj}; out.push(a, Object.keys(rest)); }`,
    code`{ const fs = []; for (${oneOf('let', 'var')} i = 0; i < 3; i++) fs.push(() => i); out.push(fs.map((f) => f())); }`,
  ];
}

/** For a program with `await`. @param {Record<string, import('fast-check').Arbitrary<string>>} g */
export function asynchronous(g) {
  const promise = fc.oneof(
    code`Promise.resolve(${g.any})`,
    code`(async () => ${g.num})()`,
    code`(async () => { await null; throw new TypeError('t'); })().catch((e) => e.name)`,
    code`new Promise((resolve, reject) => ${oneOf('resolve(7)', "reject(new Error('no'))", "{ resolve(1); reject('x'); }")}).catch((e) => e.message)`,
    code`Promise.reject(${g.num}).then(() => 1, (e) => [e])`,
    code`Promise.resolve(1).finally(() => out.push('f'))`,
    g.num,
  );
  return [
    code`out.push(await ${promise});`,
    code`out.push(await Promise.${oneOf('all', 'allSettled', 'race', 'any')}([${promise}, ${promise}]));`,
    code`for (const p of [${promise}, ${promise}]) out.push(await p);`,
    code`for await (const v of [${promise}, ${promise}]) out.push(v);`,
    code`for await (const v of (async function* (all) { for (const ${oneOf('v', '[v]', '{ length: v }')} of all) { yield v; ${oneOf('', 'if (v) return;', 'yield* [v];')} } })(${oneOf('[[1], [2]]', "'ab'", 'new Map([[1, 2]])')})) out.push(v);`,
    code`await Promise.all([1, 2].map(async (v) => { out.push('b' + v); await null; out.push('a' + v); }));`,
    code`try { await Promise.reject(new RangeError('r')); } catch (e) { out.push(e.name); }`,
    code`${promise}; out.push('after');`,
  ];
}
