import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Script } from 'node:vm';
import { createSandbox, type Sandbox } from '@mustard-sandbox/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

/** What V8 is asked ahead of a loop over lines must be what it says line by line. */
describe('regular expressions of V8 in a loop over lines', () => {
  let folder: string;
  let sandbox: Sandbox;
  const texts = Array.from({ length: 4_000 }, (_, at) => {
    if (at % 41 === 7) return '';
    if (at % 53 === 9) return 'the same line, 12 ms';
    if (at % 61 === 3) return `😀 ${at} ms, 😀`;
    return `${' '.repeat(at % 3)}k${at % 17}=${at} ms; k${at % 5}=${at / 7} s;${'x'.repeat(at % 200)}`;
  });

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'mustard-ahead-'));
    writeFileSync(join(folder, 'a.log'), texts.map((text, at) => text + (at % 4 === 0 ? '\r\n' : '\n')).join(''));
    writeFileSync(join(folder, 'b.log'), texts.slice(0, 40).join('\n'));
    sandbox = createSandbox({ isolation: 'process', spares: 0, maxTimeoutMs: 60_000 });
  });
  afterAll(async () => {
    await sandbox.close();
    rmSync(folder, { recursive: true });
  });

  const bodies = {
    'a literal': String.raw`const m = line.match(/k(\d+)=(\d+)(?= ms)/); if (m) out.push(m[1], m[2], m.index, m.length);`,
    'groups without a match, and names': String.raw`const m = /(?<key>k\d)(x)?=(?!\d+ ms)(?<n>[\d.]+)/.exec(line); out.push(m === null ? null : [...m, m.groups.key, m.groups.n]);`,
    'the text itself': String.raw`const m = line.match(/(?<=k)\d+/); if (m) out.push(m.input.length);`,
    'a constant, in a function': String.raw`if (pattern.test(line)) out.push(keyOf(line));`,
    'all matches': String.raw`out.push(line.match(/(?<==)\d+/g));`,
    'a replacement': String.raw`out.push(line.replace(/(?<=k)(\d+)/g, '<$1>').replaceAll(/(?<=k)x/g, ''));`,
    'a split': String.raw`out.push(line.split(/;(?=\s)/), line.split(/(;)(?= )|(ms)(?=;)/));`,
    'few lines': String.raw`if (n % 97 === 0) out.push(/(?<=k)\d+/.exec(line));`,
    'most lines, and one twice': String.raw`if (n % 5 !== 0) out.push(/(?<=k)\d+/.test(line), line.match(/(?<=k)\d+/), line.match(/(?<=k)\d+/));`,
    'what is no line of the file': String.raw`if (n < 300) out.push(line.trim().match(/^k(?=1)/), (line + '!').match(/!(?=$)/), /(?<=^.{0})k/.test(line.slice(1)));`,
    'values that are no texts': String.raw`if (n < 300) out.push(/(?=1)/.test(n), /un(?=d)/.exec(undefined), keyOf(n + ''));`,
    'a match that the script changes': String.raw`const m = line.match(/k(?=\d)(.)/); if (m) { m.push(n); m[0] = ''; out.push(m.join()); }`,
    'another file in the loop': String.raw`if (n % 1300 === 1) for (const other of OTHER) out.push(other.match(/(?<=k)\d+/)); out.push(line.match(/(?<=k)\d+/));`,
  };

  it.each(Object.entries(bodies))('%s', async (_, body) => {
    const script = `
      const pattern = /(?<=k)1/;
      function keyOf(text) { const m = pattern.exec(text); return m ? m.index : -1; }
      const out = [];
      let n = 0;
      for (const line of LINES) { ${body} n++; if (n > 3_900) break; }
      JSON.stringify(out)`;
    const { value } = await sandbox.run({
      script: script.replace('LINES', "lines('a.log')").replace('OTHER', "lines('b.log')"),
      scope: { root: folder },
      limits: { outputBytes: 8 * 1024 * 1024, timeoutMs: 60_000, instructions: 2_000_000_000 },
    });
    const given = script.replace('LINES', JSON.stringify(texts)).replace('OTHER', JSON.stringify(texts.slice(0, 40)));
    expect(JSON.parse(value as string)).toEqual(JSON.parse(new Script(given).runInNewContext() as string));
  });

  it('a pattern that is never met costs nothing, and no value of an earlier file is given for a later one', async () => {
    const { value } = await sandbox.run({
      script: String.raw`
        const seen = [];
        for (const name of ['b.log', 'a.log', 'b.log']) {
          let sum = 0;
          for (const line of lines(name)) { const m = line.match(/=(\d+)(?= ms)/); if (m) sum += Number(m[1]); }
          seen.push(sum);
        }
        seen`,
      scope: { root: folder },
      limits: { timeoutMs: 60_000 },
    });
    const sumOf = (list: string[]): number =>
      list.reduce((sum, text) => sum + Number(/=(\d+)(?= ms)/.exec(text)?.[1] ?? 0), 0);
    expect(value).toEqual([sumOf(texts.slice(0, 40)), sumOf(texts), sumOf(texts.slice(0, 40))]);
  });
});
