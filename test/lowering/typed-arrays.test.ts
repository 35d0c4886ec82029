import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { expectAsInV8, run } from './support.ts';

test.each([
  `const kind = (x) => Object.prototype.toString.call(x).slice(8, -1); [new Uint8Array(2), new Float64Array(1), new ArrayBuffer(2), new DataView(new ArrayBuffer(2)), [], {}, null, 'a'].map(kind)`,
  `const { toString } = Object.prototype; [toString.call(new Int8Array(1)), {}.toString.call(new Uint16Array(1)), ({}).toString.call([])]`,
  `const b = new Uint8Array(3); b[0] = 257; b[1] = -1; b[2] += 300; b[7] = 1; [...b, b.length, b[7]]`,
  `const b = new Uint8ClampedArray([-5, 300, 1.5, 2.5, NaN]); [...b]`,
  `const b = new Int8Array([128, -129, 5.9]); b[2]++; [...b.map((n) => n * 100)]`,
  `const b = new Uint16Array([1, 65537]); b[0]--; --b[0]; [...b]`,
  `const b = new Int32Array(2); b[0] = 2 ** 31; b[1] = 'x'; [...b]`,
  `const b = new Uint32Array([-1]); const [n] = b; n`,
  `const b = new Float32Array([0.1, 1e40]); [...b]`,
  `const b = new Float64Array(2).fill(0.5); b.set([1], 1); [...b]`,
  `const counts = new Uint32Array(4); for (const n of [0, 1, 1, 3]) counts[n]++; Array.from(counts)`,
  `let i = 0; const b = new Uint8Array(3); b[i++] = 5; b[i++] = 6; [i, (b[i++] = 300), ...b]`,
  `const b = new Uint8Array([1, 2, 3, 4]); const range = [1, 3]; [[...b.slice(...range)], [...b.fill(...[9, 2])], [...b.subarray(1, ...[2])]]`,
  `const b = new Uint8Array(4); b.set(...[[7, 8], 1]); const list = [5]; list.push(...b, ...[1]); [[...b], list, list.map.call(list, (n) => n + 1)]`,
  `const b = new Uint8Array([1, 0]); [...b.filter(() => b.sort())]`,
  `const b = new Uint8Array([1, 2, 3]); [...b.filter(function (n) { return n > this.most; }, { most: 1 })]`,
  `const b = new Uint8Array([3, 1, 20]); [[...b.sort()], [...b.toSorted((a, c) => c - a)], [...b.filter((n) => n > 1)], b.indexOf(20), b.at(-1), b.join('-'), b.includes(1)]`,
  `const b = new Uint8Array([1, 2, 3, 4]); [[...b.subarray(1, 3)], [...b.subarray(-2)], b.subarray(1, 3).byteOffset, [...b.slice(1, -1)], b.subarray(2).length]`,
  `const b = Uint8Array.of(1, 2); const c = b.slice(); c[0] = 9; [b[0], c[0], Array.isArray(b), b instanceof Uint8Array, [] instanceof Array, b instanceof Array]`,
  `const b = Uint8Array.from({ length: 3 }, (_, i) => i * 100); [...b]`,
  `const b = Uint8Array.from(new Set([1, 2])); [...b, b.BYTES_PER_ELEMENT, Float64Array.BYTES_PER_ELEMENT, b.byteLength, new Float64Array(2).byteLength]`,
  `const b = new Uint8Array([1, 2]); try { b.push(3); } catch (e) { e.name }`,
  `try { new Uint8Array(-1); } catch (e) { e.name }`,
  `try { new Uint8Array(2).set([1, 2, 3]); } catch (e) { e.name }`,
  `const b = new Uint8Array([1, 2]); JSON.stringify(b)`,
  `const b = new Uint8Array([1, 2]); String(b) + b + \`\${b}\``,
  `const b = new Uint8Array([1, 2, 3]); const out = []; for (const [i, n] of b.entries()) out.push(i * n); b.forEach((n, i, all) => out.push(all === b)); out`,
  `const b = new Uint8Array(8); const v = new DataView(b.buffer); v.setUint16(0, 513, true); v.setInt32(2, -2); [...b, v.getInt8(5), v.byteLength]`,
  `const v = new DataView(new ArrayBuffer(16), 4, 8); v.setFloat32(0, 1.1); v.setFloat32(4, -0); [v.getFloat32(0), Object.is(v.getFloat32(4), -0), v.byteOffset, v.buffer.byteLength]`,
  `const v = new DataView(new ArrayBuffer(2)); try { v.getUint32(0); } catch (e) { e.name }`,
  `const v = new DataView(new Uint8Array([255, 255, 255, 255, 255, 255, 255, 254]).buffer); [String(v.getBigInt64(0)), String(v.getBigUint64(0)), String(v.getBigUint64(0, true))]`,
  `const f = new Float32Array(new Uint8Array([0, 0, 128, 63]).buffer); f[0]`,
  `[...new Uint8Array(new Float64Array([1.5]).buffer)]`,
  `new Uint8Array(new ArrayBuffer(8), 2, 3).length`,
  `try { new Uint16Array(new ArrayBuffer(3)); } catch (e) { e.name }`,
  `[...new TextEncoder().encode('aé€😀')]`,
  `new TextDecoder().decode(new TextEncoder().encode('naïve €'))`,
  `new TextDecoder().decode(new Uint8Array([65, 255, 0xe2, 0x82, 66]))`,
  `try { new TextDecoder('utf-8', { fatal: true }).decode(new Uint8Array([255])); } catch (e) { e.name }`,
  `new TextDecoder('utf-16le').decode(new Uint8Array([65, 0, 66, 0]))`,
  `[new Uint8Array([72, 105]), new Uint8Array([33])].map((part) => new TextDecoder().decode(part)).join('')`,
  `const png = [0x89, 0x50, 0x4e, 0x47]; const b = new Uint8Array(png); png.every((n, i) => b[i] === n)`,
  `class Reader { constructor(bytes) { this.view = new DataView(bytes.buffer, bytes.byteOffset); this.at = 0; } u8() { return this.view.getUint8(this.at++); } u16() { const n = this.view.getUint16(this.at); this.at += 2; return n; } } const r = new Reader(new Uint8Array([1, 2, 3])); [r.u8(), r.u16(), r.at]`,
  `const crc = (bytes) => { const table = new Uint32Array(256); for (let n = 0; n < 256; n++) { let c = n; for (let k = 0; k < 8; k++) c = c & 1 ? 0xedb88320 ^ (c >>> 1) : c >>> 1; table[n] = c; } let c = 0xffffffff; for (const b of bytes) c = table[(c ^ b) & 255] ^ (c >>> 8); return (c ^ 0xffffffff) >>> 0; }; crc(new TextEncoder().encode('123456789')).toString(16)`,
  `const m = new Map(); m.set('a', new Uint8Array([1])); const list = [3, 1]; list.sort(); [m.get('a')[0], list.map((n) => n + 1), list.slice(1), 'abc'.slice(1)]`,
  `class A { get buffer() { return 5; } name() { return this.constructor.name; } } [new A().buffer, new A().constructor === A, new A().name(), new Uint8Array(1).length]`,
  `const m = new Map([['a', new Uint8Array(3)]]); [m.get('a')?.byteLength, m.get('b')?.byteLength]`,
  `let told = ''; try { new Uint8Array([1])[3] = { valueOf() { throw new Error('read'); } }; } catch { told = 'thrown'; } told`,
  `let told = ''; try { new Uint8Array([])[0] = [1, { toString: true }]; } catch (error) { told = error.name; } told`,
  `new Uint8Array(1); JSON.stringify({ m: new Map([[1, 2]]), s: new Set([1]), d: new Date(0), r: /a/, list: [new Map()] })`,
  `const box = { buffer: 5, encode: (n) => n + 1 }; [box.buffer, box.encode(1), new Uint8Array(1).length]`,
])('%s', async (script) => {
  await expectAsInV8(script);
});

test.each([
  ['writing after subarray', 'const b = new Uint8Array(4); const part = b.subarray(1); b[0] = 1; part[0]'],
  ['writing to a subarray', 'const b = new Uint8Array(4); b.subarray(1)[0] = 5; b[1]'],
  [
    'two kinds over one memory',
    'const b = new ArrayBuffer(8); const f = new Float64Array(b); new Uint8Array(b); f[0] = 1; 1',
  ],
  ['the class as a value', 'const make = Uint8Array; new make(2).length'],
  ['its constructor', 'new Uint8Array(1).constructor.name'],
  ['its constructor as a comparator', 'new Uint8Array([2, 1]).toSorted(new Uint8Array([])["constructor"])[0]'],
  ['JSON.stringify as a callback', '[new Uint8Array(2)].map(JSON.stringify)[0]'],
  ['its size in a pattern', 'const { byteLength } = new Uint8Array(1); byteLength'],
  ['its size behind another ?.', 'const o = {}; new Uint8Array(1); o.x?.y.byteLength'],
  ['the length', 'const b = new Uint8Array(4); b.length = 0; b.length'],
  ['a list of typed arrays that is flattened', '[new Uint8Array(2)].flat().length'],
  ['one in a list of lists that is flattened', '[1, [new Uint8Array([0]).with(0, true), [3]]].flat(2)'],
  ['JSON of an object with one', 'JSON.stringify({ a: new Uint8Array(2) })'],
  ['an end without a start, which V8 forgets', 'new Uint8Array(4).fill(1, undefined, 2)[3]'],
  ['a copy of one', 'structuredClone(new Uint8Array(2)).length'],
])('refused, and not caught: %s', async (_, script) => {
  await expect(
    run(
      `let result; try { result = (() => { ${script.replace(/([^;]+)$/, 'return $1')} })(); } catch { result = 'caught'; } result`,
    ),
  ).rejects.toHaveProperty('code');
});

test('every number comes out of the bytes it went into', async () => {
  const number = fc.oneof(
    fc.double(),
    fc.integer(),
    fc.constantFrom(5e-324, 2 ** -1022, -0, 1e-45, 3.4028234663852886e38),
  );
  const property = fc.asyncProperty(fc.array(number, { maxLength: 8 }), fc.boolean(), async (numbers, isLittle) => {
    const list = `[${numbers.map((n) => (Object.is(n, -0) ? '-0' : String(n))).join()}]`;
    await expectAsInV8(
      `const v = new DataView(new ArrayBuffer(8)); const out = []; for (const n of ${list}) for (const kind of ['Float64', 'Float32', 'Int32', 'Uint32', 'Int16', 'Uint16', 'Int8', 'Uint8']) {
        ${['Float64', 'Float32', 'Int32', 'Uint32', 'Int16', 'Uint16', 'Int8', 'Uint8'].map((kind) => `if (kind === '${kind}') { v.set${kind}(0, n, ${isLittle}); out.push(v.get${kind}(0, ${isLittle}), v.getUint8(1), v.get${kind}(0)); }`).join('\n')}
      } out`,
    );
  });
  await fc.assert(property, { numRuns: 20 });
});

test('a script gives a typed array as a list', async () => {
  expect((await run('new Uint8Array([1, 2])')).value).toEqual([1, 2]);
});

test('a function is refused where a list is set', async () => {
  const script = 'const bytes = new Uint8Array([3, 1, 2]); try { bytes.set((x) => x); } catch {} [...bytes]';
  await expect(run(script)).rejects.toMatchObject({
    code: 'script_error',
    message: expect.stringContaining('give it a list') as string,
  });
});

// What a variable names of one was that of a list: `push` was there, `byteLength` was not, `map` put 400 into a byte.
test.each([
  `const bytes = new Uint8Array(2); const name = 'constructor'; bytes[name].name`,
  `const bytes = new Uint8Array(2); let size = 0; const name = 'byteLength'; try { size = bytes[name] ?? 5; } catch {} size`,
  `const bytes = new Uint8Array([2]); const name = 'map'; bytes[name]((n) => n * 200)[0]`,
  `const bytes = new Uint8Array([2]); const name = 'push'; typeof (bytes[name])`,
  "const view = new DataView(new ArrayBuffer(8)); const kind = 'Uint8'; let n = 1; try { n = view[`get${kind}`](0); } catch {} n",
])('refuses %s', async (script) => {
  await expect(run(script)).rejects.toMatchObject({
    code: 'script_error',
    message: expect.stringContaining('cannot be named by a variable here'),
  });
});

test.each([
  `const bytes = new Uint8Array([7, 2]); const found = {}; for (const i in bytes) found[i] = bytes[i]; const at = '1', size = 'length'; [found, bytes[at], bytes[size], bytes[1.5], bytes[-1], bytes[found[1] - 1]]`,
  `const bytes = new Uint8Array(1); const o = { n: 5, add(x) { return this.n + x; } }; const name = 'add'; [o[name](2), (o[name])(3)]`,
  `const bytes = new Uint8Array(1); const counts = {}; for (const word of ['a', 'b', 'a']) counts[word] = (counts[word] ?? 0) + 1; const k = 'a'; counts[k]++; delete counts.b; [counts, counts[k]]`,
  `class A { x = 1; get y() { return 2; } m() { return this.x + 3; } } const bytes = new Uint8Array(1); const a = new A(); const names = ['x', 'y', 'm']; [a[names[0]], a[names[1]], a[names[2]]()]`,
  `const bytes = new Uint8Array(1); let at = 0; const next = () => at++; const rows = [[1, 2], [3, 4]]; let n = null; let name; try { n['a' + at]; } catch (error) { name = error.name; } [rows[next()][next()], at, name]`,
  `const bytes = new Uint8Array([3, 1]); const tag = { a: (s) => s[0] }; const k = 'a'; [bytes[Symbol.iterator]().next().value, tag[k]\`x\`, ['a'].reduce((o, key) => o[key], { a: 1 }), Math[tag.b ?? 'max'](1, 2)]`,
])('%s', (script) => expectAsInV8(script));

test.each([
  [`const b = new Uint8Array(4); b.set?.([7, 8], 1); [...b]`, 'unsupported_syntax', '?. before set()'],
  [`const b = new Uint8Array([3, 1]); const { call } = b.sort; b`, 'script_error', 'sort of a typed array as a value'],
  [`const b = new Uint8Array([3, 1]); b.slice.call(b, 1)`, 'script_error', 'slice of a typed array as a value'],
  [
    `const v = new DataView(new ArrayBuffer(2)); typeof v.getInt8`,
    'script_error',
    'getInt8 of a typed array as a value',
  ],
  [`const b = new Uint8Array([3, 1]); JSON.stringify(b, (k, v) => (b[1] = 5, v))`, 'script_error', 'with a function'],
])('a method that is no list method is refused in another form: %s', async (script, code, text) => {
  await expect(run(script)).rejects.toMatchObject({ code, message: expect.stringContaining(text) as string });
});
