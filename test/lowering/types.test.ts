import { expect, it, test } from 'vitest';
import { run } from './support.ts';

it.each<[string, unknown]>([
  ['const x: number = 5; x', 5],
  [
    'interface A { a: number }\ntype B = A | null\nconst f = (a: A, b?: string): number => a.a + (b ? 1 : 0); f({ a: 2 } as A)',
    2,
  ],
  ['function g<T>(x: T): T { return x } g<number>(4)', 4],
  ["const m = new Map<string, number>(); m.set('a', 1); m.get('a')!", 1],
  ['const o = { a: 1 } satisfies Record<string, number>; o.a', 1],
  [
    'class P<T> implements Q { private readonly x: T; public static n: number = 3; y?: string; constructor(x: T) { this.x = x } get(): T { return this.x } }\nnew P<number>(7).get() + P.n',
    10,
  ],
  ["let a!: string; a = 'x'; a", 'x'],
  ['for (const [k, v] of Object.entries({ a: 1 }) as [string, number][]) { k + v }', 'a1'],
  ['const h = async (x: number): Promise<number> => x; await h(3)', 3],
  ['const el = <any>5; el', 5],
])('%s', async (script, expected) => {
  expect((await run(script)).value).toEqual(expected);
});

test('an enum is refused with what to write instead', async () => {
  await expect(run('const a = 1;\nenum Color { Red }')).rejects.toMatchObject({
    code: 'unsupported_syntax',
    message: expect.stringContaining('use an object') as string,
    details: { location: { line: 2 } },
  });
});

test('an error is where it stands between types', async () => {
  await expect(run('const n: number = 1;\ntype T = string;\nmissing(n as number)')).rejects.toMatchObject({
    details: { subject: 'missing', location: { line: 3, column: 1 } },
  });
});

test('what is no TypeScript either is an error of the parser at its line', async () => {
  await expect(run('const a = 1;\nconst = 2;')).rejects.toMatchObject({
    code: 'parse_error',
    details: { location: { line: 2 } },
  });
});
