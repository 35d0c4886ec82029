import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Script } from 'node:vm';
import { createSandbox } from '@mustard-sandbox/client';
import { expect, it, onTestFinished } from 'vitest';
import { expectAsInV8 } from './support.ts';

it.each([
  `JSON.parse('{"b":1,"a":{"z":1,"y":[{"q":1,"p":2}]}}')`,
  `JSON.parse('[{"b":1,"a":2},{"b":3,"a":4}]')`,
  `JSON.parse('{"b":"x\\\\"y:{","a":"\\\\u0041"}')`,
  `JSON.parse('{"b":1,"b":2,"a":3}')`,
  `JSON.parse('{"b":1,"a":2}', (k,v)=>typeof v==='number'?v+1:v)`,
  `JSON.parse('{}')`,
  `JSON.parse(' [ ] ')`,
  `JSON.parse('"x"')`,
  `JSON.parse('{"2":1,"1":2,"b":0}')`,
  `JSON.parse('{"a":-1.5e3,"Z":null,"b":true,"c":false}')`,
  `JSON.stringify(JSON.parse('{"b":[],"a":{}}'))`,
  `try { JSON.parse('{') } catch (e) { e.name }`,
  `JSON.parse('7.690322509733775e+247')`,
  `class A { toJSON() { return 'json'; } } JSON.stringify([new A(), { a: new A() }])`,
  `[JSON.parse('1e400'), JSON.parse('[1e400,-1e400]', (k, v) => v)]`,
  `try { JSON.parse('{"a":1e400,"b'); } catch (e) { [e.name, e.message]; }`,
])('%s', (script) => expectAsInV8(script));

it('parses the lines of a loop ahead, and gives each what JSON.parse gives it', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'mustard-json-lines-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const lines = Array.from({ length: 2_000 }, (_, at) => {
    if (at % 97 === 5) return `{"b": ${at}, "a"`;
    if (at % 13 === 3) return '{"b": 1, "a": 2}';
    return JSON.stringify({ z: at, a: [at / 3, null, -0], 2: 'x'.repeat(at % 300) });
  });
  writeFileSync(join(folder, 'e.ndjson'), lines.join('\n'));
  const body = `
    try {
      const value = JSON.parse(line);
      value.seen = true;
      out.push(JSON.stringify(value));
      if (n % 5 === 0) out.push(JSON.stringify(JSON.parse(line)), JSON.stringify(JSON.parse(' [' + n + ']')));
    } catch (error) {
      out.push(error.name);
    }
    n++;`;
  const skipping = (every: number): string => `
    const out = [];
    let n = 0, seen = 0;
    for (const line of LINES) { if (seen++ % ${every} !== 0) continue; ${body} }
    out`;
  await using sandbox = createSandbox({ isolation: 'process', spares: 0 });
  for (const every of [1, 2, 50]) {
    const script = skipping(every);
    const { value } = await sandbox.run({
      script: script.replace('LINES', "lines('e.ndjson')"),
      scope: { root: folder },
      limits: { outputBytes: 8 * 1024 * 1024, timeoutMs: 10_000 },
    });
    expect(value).toEqual(new Script(script.replace('LINES', JSON.stringify(lines))).runInNewContext());
  }
});
