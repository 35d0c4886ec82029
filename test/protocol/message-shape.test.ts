import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { shapeOf } from '@mustard-sandbox/protocol/sidecar';

describe('the shape of JSON', () => {
  it('is that of the value, whatever its texts hold', () => {
    const texts = fc.array(fc.constantFrom('\\', '"', '\\"', ':', '{', '[', '$', 'null', 'x'.repeat(70), 'ä'), {
      maxLength: 30,
    });
    const value = fc.letrec<{ value: unknown }>((tie) => ({
      value: fc.oneof(
        { depthSize: 'small' },
        texts.map((parts) => parts.join('')),
        fc.constantFrom(0, -1.5e300, true, false, null),
        fc.array(tie('value'), { maxLength: 4 }),
        fc.dictionary(
          texts.map((parts) => parts.join('')),
          tie('value'),
          { maxKeys: 4, noNullPrototype: true },
        ),
      ),
    })).value;
    fc.assert(
      fc.property(value, (given) => {
        expect(shapeOf(Buffer.from(JSON.stringify(given)))).toEqual(shapeOfValue(given));
      }),
      { numRuns: 2_000 },
    );
  });

  it('is found in what is cut off inside of a text', () => {
    for (const end of ['', '\\', '\\"', 'x'.repeat(100), `${'x'.repeat(100)}\\"`, `${'x'.repeat(63)}\\`]) {
      expect(shapeOf(Buffer.from(`["${end}`)), end).toMatchObject({ depth: 1, items: 1 });
    }
  });
});

type Shape = ReturnType<typeof shapeOf>;

function shapeOfValue(value: unknown): Shape {
  if (typeof value !== 'object' || value === null) {
    return { depth: 0, items: 0, hasNull: value === null, hasTag: value === '$' };
  }
  const inner = Object.values(value).map(shapeOfValue);
  const fields = Array.isArray(value) ? [] : Object.keys(value);
  return {
    depth: 1 + Math.max(0, ...inner.map(({ depth }) => depth)),
    items: 1 + fields.length + inner.reduce((sum, { items }) => sum + items, 0),
    hasNull: inner.some(({ hasNull }) => hasNull),
    hasTag: fields.includes('$') || inner.some(({ hasTag }) => hasTag),
  };
}
