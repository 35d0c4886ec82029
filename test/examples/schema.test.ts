import { describe, expect, test } from 'vitest';
import { failureOf } from '../client/support.ts';
import { attach, runExample } from './support.ts';

describe('schema.js', () => {
  const records = Array.from({ length: 3000 }, (_, id) => ({
    id,
    name: `größer ${id % 7}`,
    ...(id % 4 === 0 && { tags: ['a', 'b'] }),
    user: id % 3 === 0 ? null : { plan: 'pro', seats: id % 10 },
    orders: [{ price: id / 10 }],
  }));

  test.each(['\n', '\r\n'])('finds the fields of JSON lines (%j)', async (lineBreak) => {
    const scope = attach('a.jsonl', records.map((record) => JSON.stringify(record)).join(lineBreak));
    const { value } = await runExample('schema.js', { scope });
    const { fields, ...rest } = value as { fields: { name: string }[] };
    expect(rest).toEqual({ format: 'JSON lines', rows: 3000, skipped: 0, moreFields: 0 });
    const byName = Object.fromEntries(fields.map((field) => [field.name, field]));
    const names = ['id', 'name', 'orders', 'orders[].price', 'tags', 'tags[]', 'user', 'user.plan', 'user.seats'];
    expect(Object.keys(byName).toSorted()).toEqual(names);
    expect(byName['id']).toEqual({
      name: 'id',
      present: 1,
      types: { number: 3000 },
      min: 0,
      max: 2999,
      examples: [0, 1, 2],
    });
    expect(byName['user']).toMatchObject({ types: { null: 1000, object: 2000 } });
    expect(byName['tags']).toMatchObject({ present: 0.25, types: { list: 750 } });
    expect(byName['orders[].price']).toMatchObject({ max: 299.9 });
    expect(byName['name']).toMatchObject({ examples: ['größer 0', 'größer 1', 'größer 2'] });
  });

  test('finds the columns of CSV', async () => {
    const scope = attach(
      'a.csv',
      '\uFEFFid,"a, b",c,d\r\n1,"x, ""y""",true,\r\n2,0x10,false,2026\r\n3,"two\r\nlines",true,1e3\r\n',
    );
    const { value } = await runExample('schema.js', { scope });
    expect(value).toMatchObject({
      format: 'CSV',
      rows: 2,
      skipped: 2,
      fields: [
        { name: 'id', types: { number: 2 } },
        { name: 'a, b', types: { string: 2 }, examples: ['x, "y"', '0x10'] },
        { name: 'c', types: { boolean: 2 } },
        { name: 'd', present: 0.5, types: { number: 1 }, min: 2026 },
      ],
    });
  });

  test('looks at rows from all over a big file', async () => {
    const lines = Array.from({ length: 300_000 }, (_, id) => `{"id":${id},"text":"größer"}`);
    const scope = attach('a.jsonl', `${lines.join('\n')}\n`);
    const { value, bytesRead } = await runExample('schema.js', { scope, inputs: { rows: 1600 } });
    const { fields, rows, skipped } = value as { fields: { max: number }[]; rows: number; skipped: number };
    expect({ rows, skipped }).toEqual({ rows: 1600, skipped: 0 });
    expect(fields[0]?.max).toBeGreaterThan(285_000);
    expect(bytesRead).toBeLessThan(5 * 1024 * 1024);
  });

  test('says that a JSON document is none', async () => {
    const scope = attach('a.json', '[\n{"a":1}\n]');
    expect((await failureOf(runExample('schema.js', { scope }))).message).toContain(
      'is a JSON document, not JSON lines',
    );
  });
});
