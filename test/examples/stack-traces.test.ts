import { describe, expect, test } from 'vitest';
import { attach, runExample, seeded } from './support.ts';

const kinds = [
  'TypeError: x is not a function\n    at load (/app/a.js:12:7)\n    at main (/app/index.js:3:1)',
  'java.lang.IllegalStateException: größer than 7\n\tat com.acme.A.run(A.java:17)\nCaused by: java.io.IOException: 5\n\tat com.acme.B.read(B.java:9)\n\t... 3 more',
  'Traceback (most recent call last):\n  File "job.py", line 8, in <module>\n    run()\nValueError: bad 3',
];

/** Traces of three languages among other lines; the same ones with other numbers. */
function makeLog(count: number): { text: string; traces: number[] } {
  const random = seeded(9);
  const traces = [0, 0, 0];
  const lines: string[] = [];
  for (let index = 0; index < count; index++) {
    lines.push(`2026-01-01 INFO request ${index} took ${'x'.repeat(Math.floor(random() * 60))}`);
    if (random() > 0.1) continue;
    const kind = Math.floor(random() * random() * 3);
    traces[kind]!++;
    lines.push((kinds[kind] as string).replace(/\d+/g, () => String(Math.floor(random() * 1000))));
  }
  return { text: `${lines.join('\n')}\n`, traces };
}

describe('stack-traces.js', () => {
  test.each(['\n', '\r\n'])('groups traces, also at the edges of ranges (%j)', async (lineBreak) => {
    const { text, traces } = makeLog(60_000);
    const scope = attach('server.log', text.replaceAll('\n', lineBreak));
    const { value } = await runExample('stack-traces.js', { scope });
    const found = value as { traces: number; different: number; top: { count: number; trace: string }[] };
    expect(text.length).toBeGreaterThan(3 * 1024 * 1024);
    expect(found).toMatchObject({ traces: traces.reduce((a, b) => a + b), different: 3 });
    expect(found.top.map(({ count }) => count)).toEqual(traces.toSorted((a, b) => b - a));
    expect(found.top.map(({ trace }) => trace.split('\n')[0]?.replace(/\d+/, '#'))).toEqual([
      'TypeError: x is not a function',
      'java.lang.IllegalStateException: größer than #',
      'ValueError: bad #',
    ]);
  });

  test('tells traces with other frames apart, as far as they are compared', async () => {
    const text = 'Error: a\n    at f (x.js:1)\n    at g (x.js:2)\nError: a\n    at f (x.js:3)\n    at h (x.js:4)';
    const scope = attach('a.log', text);
    expect((await runExample('stack-traces.js', { scope })).value).toMatchObject({ different: 2 });
    const { value } = await runExample('stack-traces.js', { scope, inputs: { frames: 1 } });
    expect(value).toEqual({ traces: 2, different: 1, top: [{ count: 2, trace: 'Error: a\n    at f (x.js:1)' }] });
  });
});
