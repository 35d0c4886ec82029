import { describe, expect, test } from 'vitest';
import { inOneGo, inSegments, taking, type Answers } from './support.ts';

const answers: Answers = {
  ask: (value: unknown) => value,
  fail: (message: string) => {
    throw new RangeError(message);
  },
};

/** Each script waits at least once, with what its name says alive. */
const inQuickJS: Record<string, string> = {
  'closures that share a variable': `
    const counter = (() => { let n = 0; return { up: () => ++n, get: () => n }; })();
    counter.up(); await ask(1); counter.up(); await ask(2); counter.up();
    counter.get()`,
  'Map and Set, with objects as keys': `
    const key = { k: 1 }; const map = new Map([[key, 'a'], ['x', new Set([1, 2])]]); const weak = new WeakMap([[key, 7]]);
    await ask(1); map.get('x').add(await ask(3));
    [map.get(key), [...map.get('x')], weak.get(key), map.size]`,
  'a generator in the middle': `
    function* count() { let i = 0; try { while (true) { const got = yield i++; if (got) i += got; } } finally { await_.push('closed'); } }
    const await_ = []; const it = count(); it.next(); it.next();
    const step = await ask(10); const first = it.next(step).value; await ask(0);
    it.return(); [first, it.next().done, await_]`,
  'an async generator': `
    async function* pages() { for (let page = 1; page <= 3; page++) yield await ask('page ' + page); }
    const seen = []; for await (const page of pages()) seen.push(page); seen`,
  'a regular expression with lastIndex': `
    const re = /k(\\d+)/g; const text = 'k1 k22 k333'; const found = [re.exec(text)[1]];
    await ask(1); found.push(re.exec(text)[1], re.lastIndex); await ask(2); found.push(re.exec(text).index); found`,
  'a pending promise chain': `
    const log = []; const chain = ask(1).then((v) => { log.push(v); return ask(v + 1); }).then((v) => log.push(v)).finally(() => log.push('end'));
    log.push('begun'); await chain; log`,
  'parallel calls': `
    const [a, b, c] = await Promise.all([ask(1), ask('two'), ask([3])]); ({ a, b, c })`,
  'allSettled, any and race': `
    const settled = await Promise.allSettled([ask(1), fail('no')]);
    const any = await Promise.any([fail('first'), ask('second')]);
    const race = await Promise.race([ask('fast'), ask('slow')]);
    [settled.map((s) => s.status + ':' + (s.value ?? s.reason.message)), any, race]`,
  'typed arrays over one buffer': `
    const bytes = new Uint8Array([1, 2, 3, 250]); const view = new DataView(bytes.buffer); const part = bytes.subarray(1);
    await ask(1); part[0] = 9; view.setUint16(2, 513);
    [[...bytes], view.getUint8(1), bytes.buffer.byteLength]`,
  'classes with private and static fields': `
    class Base { #secret = 1; static made = 0; constructor() { Base.made++; } get secret() { return this.#secret; } raise(by) { this.#secret += by; return this; } }
    class Box extends Base { #own = new Map(); put(k, v) { this.#own.set(k, v); return this; } read() { return [...this.#own, super.secret]; } }
    const box = new Box().put('a', 1); await ask(1); box.put('b', 2).raise(await ask(4)); [box.read(), Base.made, box instanceof Base]`,
  'a Date, a BigInt, a symbol, a getter': `
    const date = new Date(86400000); const big = 2n ** 70n; const tag = Symbol('tag'); const o = { [tag]: 5, get twice() { return this[tag] * 2; } };
    await ask(1); [date.toISOString(), String(big + 1n), o[tag], o.twice, tag.description]`,
  'an error in flight': `
    const caught = [];
    try { try { await fail('inner'); } finally { caught.push(await ask('cleanup')); } }
    catch (error) { caught.push(error.name, error.message, error instanceof RangeError); }
    caught`,
  'try and finally around an awaited call, with return': `
    const log = []; const f = async () => { try { return await ask('value'); } finally { log.push('finally'); await ask('late'); } };
    [await f(), log]`,
  'a thrown error that is kept and thrown later': `
    let kept; try { null.x; } catch (error) { kept = error; } await ask(1);
    try { throw kept; } catch (error) { error.constructor.name + ': ' + error.message }`,
  'destructuring, spread, default and rest with calls in them': `
    const { a = await ask('default'), ...rest } = { b: await ask(2), c: 3 }; const f = async (...list) => list.length;
    [a, rest, await f(...(await ask([1, 2, 3])))]`,
  'loops with labels and nested awaits': `
    const seen = []; outer: for (let i = 0; i < 3; i++) { for (const j of [0, 1, 2]) { if (await ask(j === i)) continue outer; seen.push([i, j]); } } seen`,
  'a proxy and frozen objects': `
    const log = []; const proxy = new Proxy({ x: 1 }, { get: (t, k) => { log.push(String(k)); return t[k]; } }); const frozen = Object.freeze({ y: 2 });
    await ask(1); [proxy.x, log, Object.isFrozen(frozen), frozen.y]`,
  'a decoder in the middle of a character': `
    const decoder = new TextDecoder(); let text = decoder.decode(new Uint8Array([0xc3]), { stream: true }); await ask(1);
    text + decoder.decode(new Uint8Array([0xa9]))`,
  'a call that nobody awaits': `
    await null; ask('on its way'); 'done'`,
  'a promise that a later call settles': `
    let settle; const later = new Promise((resolve) => { settle = resolve; }); ask('x').then((v) => settle(v + '!')); await later`,
  'microtasks in their order': `
    const log = []; queueMicrotask(() => log.push('micro')); Promise.resolve().then(() => log.push('then')); await ask(1);
    queueMicrotask(() => log.push('micro 2')); await ask(2); log`,
  'regular expressions that are sticky, have groups and remember where they are': `
    const sticky = /(?<key>\\w)=(\\d)/y; const text = 'a=1b=2c=3'; const seen = [sticky.exec(text).groups.key];
    const all = text.matchAll(/\\d/g); all.next(); await ask(1); seen.push(sticky.exec(text).groups.key, sticky.lastIndex, all.next().value[0]);
    const copy = new RegExp(sticky); copy.lastIndex = 6; await ask(2); [seen, copy.exec(text)[2], sticky.lastIndex]`,
  'typed arrays of floats and big integers, and an array buffer that grew': `
    const floats = Float64Array.of(0.1, NaN, -0); const big = new BigInt64Array([2n ** 62n]); const clamped = new Uint8ClampedArray([300]);
    await ask(1); floats[1] = 1 / 3; big[0] += 1n;
    [[...floats].map((n) => Object.is(n, -0) ? '-0' : n), String(big[0]), clamped[0], floats.slice(1).length, new Uint8Array(floats.buffer)[8]]`,
  'generators that delegate, and one that is closed while it waits': `
    const log = []; function* inner() { try { log.push(yield 1); yield 2; } finally { log.push('inner'); } return 'r'; }
    function* outer() { log.push(yield* inner()); yield 3; } const it = outer(); it.next(); await ask(1); it.next('got'); await ask(2);
    const other = outer(); other.next(); await ask(3); [it.next().value, other.return(9), it.next(), log]`,
  'private methods, accessors and brands': `
    class Account { static #all = []; #sum = 0; #add(n) { this.#sum += n; } get #double() { return this.#sum * 2; } static { this.#all.push('static'); }
      pay(n) { this.#add(n); return this.#double; } static isOne(x) { return #sum in x; } static get all() { return Account.#all; } }
    const one = new Account(); one.pay(2); await ask(1); [one.pay(3), Account.isOne(one), Account.isOne({}), Account.all]`,
  'a list with holes, a bound function, arguments and new.target': `
    const list = [1, , 3]; list.extra = 'e'; function Made() { this.by = new.target === Made; this.count = arguments.length; }
    const bound = ((a, b, c) => [a, b, c]).bind(null, 1, 2); await ask(1); [1 in list, list.length, list.extra, bound(3), new Made(1, 2)]`,
  'symbols that are shared, an iterator of its own and a tagged template': `
    const shared = Symbol.for('k'); const tag = (strings, ...values) => [strings, values]; const make = () => tag\`a\${1}b\`; const first = make()[0];
    const range = { *[Symbol.iterator]() { yield* [1, 2, 3]; } }; const [head, ...rest] = range; const it = range[Symbol.iterator](); it.next();
    await ask(1); [Symbol.for('k') === shared, make()[0] === first, head, rest, [...it], first.raw]`,
  'a promise that nobody has settled yet, beside one that has failed': `
    const { promise, resolve } = (() => { let resolve; const promise = new Promise((r) => (resolve = r)); return { promise, resolve }; })();
    const failed = Promise.reject(new TypeError('early')); failed.catch(() => {}); const got = promise.then((v) => v * 2); await ask(1); resolve(21);
    [await got, await failed.catch((e) => e.message)]`,
  'TypeScript, whose text is rewritten': `
    interface Row { id: number } const rows: Row[] = [{ id: 1 }]; const got: number = await ask(rows[0]!.id as number); return got + rows.length;`,
};

describe('QuickJS: each shape of the language lives through a wait', () => {
  test.each(Object.entries(inQuickJS))('%s', async (_, script) => {
    const box = taking();
    const expected = await inOneGo(box, script, answers, { engine: 'quickjs' });
    const { result, calls, console, waits } = await inSegments(box, script, answers, { engine: 'quickjs' });
    expect(waits.length).toBeGreaterThan(0);
    expect({ value: result.value, calls, console }).toEqual(expected);
  });
});

const inMustardScript: Record<string, string> = {
  closures: `const add = (a) => (b) => a + b; const add2 = add(2); const got = await ask(3); add2(got)`,
  'Map and Set': `const map = new Map(); map.set('a', [1]); const set = new Set(); set.add(1); await ask(1); [map.get('a'), set.has(1)]`,
  'a regular expression and a Date': `const re = /a/g; const date = new Date(0); await ask(1); [re.test('a'), date.getTime()]`,
  'parallel calls, which wait one after another': `await Promise.all([ask(1), ask(2)])`,
  'an error that is caught': `let seen = 'none'; try { await fail('no'); } catch (error) { seen = error.message; } finally { await ask('end'); } seen`,
  'no await at all': `const a = ask(1); const b = ask(a + 1); [a, b]`,
};

describe('MustardScript: what it has lives through a wait', () => {
  test.each(Object.entries(inMustardScript))('%s', async (_, script) => {
    const box = taking();
    const expected = await inOneGo(box, script, answers, { engine: 'mustardscript' });
    const { result, calls, console, waits } = await inSegments(box, script, answers, { engine: 'mustardscript' });
    expect(waits.length).toBeGreaterThan(0);
    expect({ value: result.value, calls, console }).toEqual(expected);
  });
});
