import fc from 'fast-check';
import { expect, it } from 'vitest';
import { bytesOfMessage, RawJson, stringifyMessage } from '../../packages/protocol/src/raw-json.ts';
import { shapeOf } from '../../packages/protocol/src/message-shape.ts';

const written = (message: object): string => {
  const parts = stringifyMessage(message);
  return typeof parts === 'string' ? parts : Buffer.concat(parts).toString();
};

it('a text is written as JSON.stringify writes it', () => {
  const text = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.string({ unit: fc.constantFrom('"', '\\', '\n', '\u0000', 'é', '😀', 'a') }),
  );
  fc.assert(
    fc.property(text, (value) => {
      const json = RawJson.ofText(Buffer.from(value));
      // A half of a pair of surrogates is none in UTF-8.
      const wellFormed = Buffer.from(value).toString();
      expect(json.bytes.toString()).toBe(JSON.stringify(wellFormed));
      expect(json.length).toBe(json.bytes.length);
      const message = { before: value, value: { json }, behind: value };
      const plain = { before: value, value: { json: wellFormed }, behind: value };
      expect(written(message)).toBe(JSON.stringify(plain));
      expect(bytesOfMessage(stringifyMessage(message))).toBe(Buffer.byteLength(JSON.stringify(plain)));
    }),
  );
});

it('the shape of JSON says whether it holds null, and the text $', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.constantFrom('', 'null', '$', '"null"', 'n'), (value, text) => {
      const json = [value, { [text]: text }];
      const { hasNull, hasTag } = shapeOf(Buffer.from(JSON.stringify(json)));
      const texts: string[] = [];
      let nulls = 0;
      JSON.stringify(json, (key, item: unknown) => {
        texts.push(key);
        if (typeof item === 'string') texts.push(item);
        // JSON writes -0 as 0, and jsonValue gives no infinity.
        if (item === null) nulls++;
        return item;
      });
      expect(hasNull).toBe(nulls > 0);
      expect(hasTag).toBe(texts.includes('$'));
    }),
  );
});
