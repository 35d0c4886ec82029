import fc from 'fast-check';

const hole = Symbol('hole');

const key = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 8 }),
  fc.constantFrom('$', '__proto__', 'constructor', 'toString', 'length', '0', '-1', '', 'a', 'entries'),
);

/** Everything that may cross between script and host, weighted towards what JSON cannot say. */
export const sandboxValue = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom(undefined, null, true, false, NaN, Infinity, -Infinity, -0, 0, 2 ** 53, 5e-324, ''),
    fc.double(),
    fc.string({ unit: 'grapheme' }),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.array(fc.option(tie('value'), { nil: hole }), { maxLength: 4 }).map(withHoles),
    fc.array(fc.tuple(key, tie('value')), { maxLength: 4 }).map((entries) => Object.fromEntries(entries)),
  ),
})).value;

/** @param {unknown[]} items */
function withHoles(items) {
  const result = new Array(items.length);
  items.forEach((item, index) => {
    if (item !== hole) result[index] = item;
  });
  return result;
}

const special = fc.constantFrom(
  'undefined',
  'NaN',
  'Infinity',
  '-Infinity',
  '-0',
  'hole',
  'object',
  'Date',
  '',
  7,
  null,
);

/** JSON that almost is the tagged form of a value, and now and then is. */
export const almostTagged = fc.letrec((tie) => ({
  item: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom(null, true, 0, -1, 'x', ''),
    fc.record({ $: special }),
    fc.record({ $: special, entries: fc.oneof(fc.constantFrom(null, 5, {}), tie('entries')) }),
    fc.record({ $: special, extra: tie('item') }, { requiredKeys: ['$'] }),
    fc.array(tie('item'), { maxLength: 4 }),
    fc.array(fc.tuple(key, tie('item')), { maxLength: 4 }).map((entries) => Object.fromEntries(entries)),
  ),
  entries: fc.array(
    fc.oneof(
      { weight: 4, arbitrary: fc.tuple(key, tie('item')) },
      { weight: 1, arbitrary: fc.array(tie('item'), { maxLength: 3 }) },
    ),
    { maxLength: 3 },
  ),
})).item;
