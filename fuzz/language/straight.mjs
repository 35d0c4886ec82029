import fc from 'fast-check';
import { code, list, mostly, oneOf } from './grammar/code.mjs';
import { boolean, nothing, number, object, rows, string, strings } from './grammar/literals.mjs';

/**
 * What hosts may give, by number: `await lookup(3)` is the fourth. Some of them are what no host should give, because
 * what a script does with it must not depend on the engine either.
 */
export const given = [
  ...[null, undefined, true, false, 0, -0, 1, -1.5, 1e21, 1e-7, 0.1, NaN, Infinity, '', 'a', '12', '😀b', 'x,y', '-0'],
  ...[[], [1, 2, 3], ['a', 'b'], [null, undefined], [[1], [2]], [{ id: 1, name: 'a' }, { id: 2 }], ['😀b']],
  ...[
    {},
    { a: 1 },
    { a: { b: { c: 'deep' } } },
    { rows: [{ id: 7, name: 'n' }], total: 1 },
    { 2: 'two', 1: 'one', x: 0 },
  ],
  ...[{ length: 3, name: 'l' }, { a: undefined, b: null, c: -0 }, { toString: 1, valueOf: 2 }, { constructor: 'c' }],
  ...[
    JSON.parse('{ "__proto__": { "a": 5 }, "a": [1] }'),
    { 'x y': 1, $: 'tag' },
    JSON.parse('{ "then": 1, "toJSON": 2 }'),
  ],
];

const names = ['r', 'u', 'n', 'o', 'x', 't'];
const inputs = ['input', 'path', 'limits'];
const key = mostly(
  oneOf('a', 'b', 'c', 'id', 'name', 'rows', 'total', 'size', 'x', '$'),
  oneOf('length', 'toString', 'constructor', 'then', 'at', 'link', 'mtime', 'truncated'),
);
const index = oneOf('0', '1', '2', '01', '1.0', '-1');
const builtin = oneOf('search', 'read_lines', 'find_files', 'read_file', 'query', 'file_stats', 'read_json', 'lines');
const answer = fc.nat({ max: given.length - 1 }).map(String);

/** The same object, or parts of it, twice. */
const twice = fc
  .tuple(oneOf('r', 'o', 'input'), key, key, fc.nat({ max: 9 }))
  .map(
    (/** @type {any[]} */ [name, one, other, form]) =>
      [
        `[${name}, ${name}]`,
        `[${name}, ${name}.${one}]`,
        `({ x: ${name}.${one}, y: ${name}.${other} })`,
        `({ ...${name}, y: ${name}.${other} })`,
        `[...${name}, ${name}[0]]`,
        `[${name}[0], ${name}[1]]`,
        `[${name}.slice(1)[0], ${name}[1]]`,
        `({ first: ${name}[0], some: ${name}.slice(0, 2) })`,
        `?send(${name}, ${name}.${one})`,
        `[Object.values(${name})[0], ${name}.${one}]`,
      ][form],
  );

const grammar = fc.letrec((tie) => {
  const value = tie('value');
  const num = tie('num');
  const text = tie('text');
  const object = tie('object');
  const items = tie('items');
  const argument = fc.oneof({ weight: 3, arbitrary: answer }, { weight: 2, arbitrary: value });
  // `?` stands for `await` in a script that waits, and for nothing in others.
  const call = mostly(
    code`?${oneOf('lookup', 'find', 'send')}(${fc.oneof({ weight: 4, arbitrary: argument }, list(argument, { max: 3 }))})`,
    code`?${builtin}(${argument})`,
    2,
  );
  const variable = mostly(oneOf(...names), oneOf(...inputs), 4);
  const member = fc.oneof(
    code`${tie('base')}.${key}`,
    code`${tie('base')}?.${key}`,
    code`${tie('base')}[${index}]`,
    code`${tie('base')}.${key}.${key}`,
    code`${tie('base')}?.${key}?.${key}`,
    code`${tie('base')}?.${key}.${key}`,
    code`${tie('base')}['${key}']`,
  );
  const primitive = fc.oneof(num, text, boolean, nothing);
  const options = (...arbitraries) =>
    fc.oneof({ maxDepth: 4, depthIdentifier: 'straight', depthSize: 'small' }, ...arbitraries);
  return {
    base: options(variable, code`(${call})`, code`(${value})`, object, items, variable, variable),
    num: options(
      mostly(number, oneOf('010', '0x1f', '1n', '5.', '.5'), 40),
      code`(${num} ${oneOf('+', '-', '*', '/', '%', '&', '|', '^', '<<', '>>', '>>>', '**')} ${num})`,
      code`(${oneOf('-', '+', '~')} ${num})`,
      code`${items}.length`,
      code`Math.${oneOf('floor', 'ceil', 'abs', 'trunc', 'round', 'max')}(${num})`,
      code`(${value} + ${value})`,
      variable,
    ),
    text: options(
      string,
      code`\`a \${${primitive}}\``,
      code`\`\${${primitive}}\${${primitive}}\``,
      code`\`\${${text}}\${${num}} b\``,
      code`(${text} + ${primitive})`,
      code`(${num} + ${text})`,
      code`String(${primitive})`,
      code`JSON.stringify(${value}${oneOf('', '', ', null, 2', ', null')})`,
      code`typeof ${value}`,
      code`${tie('texts')}.join(${text})`,
      variable,
    ),
    texts: options(strings, code`Object.keys(${object})`, code`?read_lines(1)`, code`(?find_files(2))`, variable),
    bool: options(
      boolean,
      code`!${value}`,
      code`(${value} ${oneOf('===', '!==')} ${value})`,
      code`(${value} ${oneOf('==', '!=')} ${oneOf('null', 'undefined', "'a'", '1')})`,
      code`(${num} ${oneOf('<', '>', '<=', '>=', '==', '!=')} ${num})`,
      code`Array.isArray(${value})`,
      code`${tie('texts')}.includes(${text})`,
      code`${text}.${oneOf('includes', 'startsWith', 'endsWith')}(${text})`,
    ),
    object: options(
      object_(value),
      code`({ ...${variable}, ${key}: ${value} })`,
      code`({ ${oneOf(...names)}, ${key}: ${value} })`,
      code`({ ${key}: ${member}, ${key}: ${member} })`,
      code`(?query(${answer}))`,
    ),
    items: options(
      rows,
      code`[${list(value, { max: 3 })}]`,
      code`[...${tie('base')}, ${value}]`,
      twice,
      twice,
      code`[, ${value}]`,
      code`(?search(${answer}))`,
      code`${items}.slice(${oneOf('0, 2', '1', '-1', '')})`,
      code`Object.${oneOf('values', 'entries')}(${object})`,
      code`${items}.${oneOf('at(0)', 'concat([1])', 'map(String)')}`,
      variable,
    ),
    value: options(
      call,
      call,
      member,
      member,
      variable,
      variable,
      num,
      text,
      tie('bool'),
      nothing,
      object,
      items,
      code`(${value} ${oneOf('&&', '||', '??')} ${value})`,
      code`(${tie('bool')} ? ${value} : ${value})`,
    ),
    call,
  };
});

function object_(value) {
  return mostly(object(value), code`({ ${key}: ${value} })`, 2);
}

const { value, call, num, bool } = grammar;
const made = fc.oneof({ weight: 3, arbitrary: call }, { weight: 2, arbitrary: value });
const name = oneOf(...names);
const pattern = fc.oneof(
  name,
  name,
  code`{ ${key}: ${name} }`,
  code`{ a, b: ${name} = ${value} }`,
  code`{ rows: [${name}], ...rest }`,
  code`[${name}, second]`,
  code`[${name}, ...others]`,
);
const declaration = fc.oneof(
  { weight: 6, arbitrary: code`${oneOf('const', 'const', 'let')} ${pattern} = ${made};` },
  { weight: 2, arbitrary: code`let ${name} = ${fc.oneof(num, value)};` },
  code`let ${name};`,
);
const statement = fc.letrec((tie) => ({
  any: fc.oneof(
    { maxDepth: 2, depthIdentifier: 'statement' },
    { weight: 6, arbitrary: declaration },
    { weight: 2, arbitrary: code`${made};` },
    code`${name} ${oneOf('=', '+=', '-=', '*=')} ${made};`,
    code`${name}${oneOf('++', '--')};`,
    code`${name}.${key} = ${made};`,
    code`console.${oneOf('log', 'warn')}(${list(value, { max: 2 })});`,
    code`if (${bool}) ${tie('block')}${mostly(fc.constant(''), code` else ${tie('block')}`, 1)}`,
    code`if (${value}) return ${made};`,
    code`if (${value}) return;`,
  ),
  block: fc.array(tie('any'), { maxLength: 2 }).map((lines) => `{ ${lines.join(' ')} }`),
})).any;

/** Statements that declare a name twice do not compile, and say nothing: the later ones are left out. */
function withoutRepeats(lines) {
  const seen = new Set();
  return lines.filter((line) => {
    const declared = /^(?:const|let) /.test(line) ? (/^\w+ (.*?)(?: = |;)/.exec(line)?.[1] ?? '') : '';
    const found = declared.match(/\w+/g) ?? [];
    if (found.some((each) => seen.has(each))) return false;
    found.forEach((each) => seen.add(each));
    return true;
  });
}

/**
 * A script of calls one after another. Its first line says which of `given` its inputs are.
 *
 * @type {import('fast-check').Arbitrary<string>}
 */
export const straight = fc
  .tuple(
    fc.array(statement, { maxLength: 5 }),
    fc.oneof(
      code`${value}`,
      code`${value}`,
      object_(value),
      code`return ${value}`,
      code`if (${bool}) /*last*/ { ${value} }`,
    ),
    fc.boolean(),
    fc.tuple(...[...inputs, ...names].map(() => answer)),
    fc.boolean(),
  )
  .map(([lines, last, waits, numbers, isGiven]) => {
    const text = [...withoutRepeats(lines), last].join('\n');
    const script = text.replace(
      /\?(?=(?:lookup|find|send|search|read_|find_|query|file_|lines)\w*\()/g,
      waits ? 'await ' : '',
    );
    // Mostly names that are not declared are inputs: an error at the first line says little.
    const known = isGiven ? [...inputs, ...names] : inputs;
    return `// ${JSON.stringify(Object.fromEntries(known.map((input, at) => [input, Number(numbers[at])])))}\n${script}`;
  });
