import { expect, it } from 'vitest';
import { expectAsInV8, run } from './support.ts';

it.each([
  'try { const x1 = 5; x1(); } catch (e) { e.name }',
  'try { const x2 = 5; x2(); } catch (e) { e instanceof TypeError }',
  'try { const [a] = {}; } catch ({ name }) { name }',
  'try { for (const x of 5) x; } catch (e) { e.name }',
  'try { throw new RangeError("r"); } catch ({ name, message }) { [name, message] }',
  'try { throw "text"; } catch (e) { e }',
  'try { throw new Error("mine"); } catch (e) { [e.name, e.message] }',
  'try { null.x; } catch { "none" }',
  'const log = []; try { try { throw 1; } finally { log.push("f"); } } catch (e) { log.push(e); } log',
  'try { throw 1; } catch (e) { e = 2; e }',
  'try { throw 1; } catch (e) { }',
  'const f = () => { try { return 1; } finally { return 2; } }; f()',
  'const f = () => { try { throw new Error("a"); } catch (e) { throw new Error(e.message + "b"); } finally { return 2; } }; f()',
  'const f = () => { try { throw new Error("a"); } catch (e) { return e.message; } finally { if (false) return 2; } }; f()',
  'const log = []; for (const n of [1, 2, 3]) { try { if (n === 2) continue; log.push(n); } finally { log.push(-n); if (n === 3) break; } } log',
  'try { try { null.x; } finally { throw new Error("other"); } } catch (e) { e.message }',
  'outer: for (const a of [1, 2]) { for (const b of [1, 2]) { try { throw b; } catch (e) { continue outer; } finally { continue outer; } } } "end"',
])('%s', (script) => expectAsInV8(script));

it('what the engine does not do is no error that a script catches', async () => {
  const refused = expect.objectContaining({ code: 'script_error' }) as Error;
  await expect(run('let seen; try { Object.keys(new Map()); } catch (e) { seen = e.name; } seen')).rejects.toEqual(
    refused,
  );
  await expect(run('let seen; try { "x".anchor("y"); } catch { seen = "none"; } seen')).rejects.toEqual(refused);
  for (const body of [
    'try { yield [6] / 2; } catch (e) { yield 0; }',
    'yield (() => { try { return [6] / 2; } catch { return 0; } })();',
  ]) {
    await expect(run(`function* g() { ${body} } [...g()]`)).rejects.toEqual(refused);
    await expect(
      run(`async function* g() { ${body} } const all = []; for await (const n of g()) all.push(n); all`),
    ).rejects.toEqual(refused);
  }
  for (const tried of ['Object.keys(new Map());', 'throw 1; } catch (e) { Object.keys(new Map());']) {
    await expect(run(`const f = () => { try { ${tried} } finally { return 1; } }; f()`)).rejects.toEqual(refused);
  }
});

it.each([
  'try { for (;;) kept.push(ask()); } catch (error) { kept.length; }',
  'const f = () => { try { for (;;) kept.push(ask()); } catch { return 1; } }; f()',
  'const f = () => { try { for (;;) kept.push(ask()); } finally { return 1; } }; f()',
])('memory that is full while an answer comes in ends the run, whatever the script does: %s', async (script) => {
  const rows = Array.from({ length: 2_000 }, (_, line) => ({ line, text: 'x'.repeat(200), groups: [] }));
  const ran = run(`const kept = []; ${script}`, { host: { ask: () => rows }, limits: { heapBytes: 20e6 } });
  await expect(ran).rejects.toMatchObject({ code: 'limit_exceeded', details: { limit: 'heap_bytes' } });
});
