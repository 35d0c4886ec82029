import { functions, kinds } from './kinds.mjs';

/**
 * Methods of values: `name(n)` takes up to n arguments. `changes`: the value after the call is looked at as well;
 * `spread`: what comes is looked at item by item; `sizes`: an argument may be how long something is to be.
 *
 * @type {{ on: string[], methods: string, first?: string[], changes?: true, spread?: true, sizes?: true }[]}
 */
export const methods = [
  {
    on: ["'abcabc'", "''", "' a,B2 '"],
    methods: `at(1) charAt(1) charCodeAt(1) codePointAt(1) concat(2) endsWith(2) includes(2) indexOf(2) lastIndexOf(2)
      localeCompare(1) match(1) normalize(1) replace(2) replaceAll(2) search(1) slice(2) split(2) startsWith(2) substr(2)
      substring(2) toLowerCase(0) toUpperCase(0) toLocaleUpperCase(0) trim(0) trimStart(0) trimEnd(0) toString(0)
      valueOf(0) isWellFormed(0) hasOwnProperty(1)`,
  },
  {
    on: ["'abcabc'", "'a1b22'"],
    methods: 'match(1) replace(2) replaceAll(2) search(1) split(2)',
    first: [
      '/b/',
      '/b/g',
      '/(?<n>[a-b])(\\d)?/g',
      '/\\d+/',
      '/$/g',
      '/x*/g',
      '/B/gi',
      '/(?<=a)b/g',
      '/^a|c$/gm',
      '/a/y',
    ],
  },
  { on: ["'abc'", "''"], methods: 'padEnd(2) padStart(2) repeat(1)', sizes: true },
  {
    on: ["'abcabc'"],
    methods: 'matchAll(1)',
    spread: true,
    first: ['/b/g', '/(?<n>b)(c)?/g', "'b'", 'undefined', "''"],
  },
  {
    on: ['[3, 1, 2]', '[]', "['b', , undefined, null]", '[[1, [2]], NaN, -0]', "[10, 9, true, '2']"],
    methods: `at(1) concat(2) includes(2) indexOf(2) join(1) lastIndexOf(2) slice(2) toReversed(0) toSorted(1)
      toSpliced(3) toString(0) with(2) flat(1) toLocaleString(0) hasOwnProperty(1)`,
  },
  { on: ['[3, 1, 2]', "['b', , undefined]", '[]'], methods: 'entries(0) keys(0) values(0)', spread: true },
  {
    on: ['[3, 1, 2]', '[]', "['b', , undefined, 'a']", "[10, 9, true, '2']"],
    methods: 'copyWithin(3) fill(3) pop(0) push(2) reverse(0) shift(0) sort(1) splice(3) unshift(2)',
    changes: true,
  },
  {
    on: ['[3, 1, 2]', '[]', "['b', , undefined, '1']"],
    methods: `every(2) some(2) filter(2) find(2) findIndex(2) findLast(2) findLastIndex(2) flatMap(2) forEach(2) map(2)
      reduce(2) reduceRight(2) sort(1) toSorted(1)`,
    first: [...functions, 'undefined', 'null', '1', "'b'", '{}', '/b/'],
  },
  {
    on: ['0', '(-0)', '1.5', '(-2.5)', 'NaN', '1e21', '255', '0.000001234', 'Infinity', '1234567.891', '1.005'],
    methods: 'toFixed(1) toString(1) toPrecision(1) toExponential(1) toLocaleString(0) valueOf(0)',
  },
  { on: ['true', '5n', '(-12n)'], methods: 'toString(1) valueOf(0) toLocaleString(0)' },
  {
    on: ['{ a: 1 }', '{}', '[1]', '(x) => x', 'new Date(5)', '/b/', 'new Map()', "new TypeError('t')"],
    methods: 'hasOwnProperty(1) propertyIsEnumerable(1) toString(0)',
  },
  {
    on: ["new Map([[NaN, 1], ['a', 2], [0, 3], [undefined, 4]])"],
    methods: 'get(1) has(1) delete(1)',
  },
  { on: ["new Set([NaN, 'a', 0, undefined, null, 1])"], methods: 'has(1) delete(1)' },
  { on: ["new Map([[NaN, 1], ['a', 2]])"], methods: 'entries(0) keys(0) values(0) set(2)', spread: true },
  { on: ["new Set([NaN, 'a'])"], methods: 'entries(0) keys(0) values(0) add(1)', spread: true },
  {
    on: ['/b/', '/b/g', '/(?<n>\\w)(\\d)?/y', '/^$/', '/(?=b)./i', '/undefined|null|NaN/'],
    methods: 'test(1) exec(1) toString(0)',
  },
  {
    on: ['new Date(0)', "new Date('2024-02-29T23:59:59.999Z')", 'new Date(NaN)', 'new Date(-1)'],
    methods: [
      ...['FullYear', 'Month', 'Date', 'Day', 'Hours', 'Minutes', 'Seconds', 'Milliseconds'].flatMap((part) => [
        `get${part}(0)`,
        `getUTC${part}(0)`,
      ]),
      ...['getTime(0)', 'getTimezoneOffset(0)', 'toISOString(0)', 'toJSON(0)', 'toString(0)', 'toDateString(0)'],
      ...[
        'toTimeString(0)',
        'toUTCString(0)',
        'toLocaleDateString(0)',
        'toLocaleTimeString(0)',
        'toLocaleString(0)',
        'valueOf(0)',
      ],
    ].join(' '),
  },
  {
    on: ["new Date('2024-02-29T23:59:59.999Z')", 'new Date(NaN)'],
    methods: [
      'FullYear(3)',
      'Month(2)',
      'Date(1)',
      'Hours(4)',
      'Minutes(3)',
      'Seconds(2)',
      'Milliseconds(1)',
      'Time(1)',
    ]
      .flatMap((part) => (part === 'Time(1)' ? [`set${part}`] : [`set${part}`, `setUTC${part}`]))
      .join(' '),
    changes: true,
  },
  {
    on: [
      'new Uint8Array([3, 1, 2])',
      'new Int16Array(2)',
      'new Float64Array([1.5, NaN, -0])',
      'new Uint8ClampedArray([300, 2])',
    ],
    methods: `at(1) includes(2) indexOf(2) join(1) lastIndexOf(2) slice(2) subarray(2) toReversed(0) toSorted(1) with(2)
      toString(0) hasOwnProperty(1)`,
  },
  {
    on: ['new Uint8Array([3, 1, 2])', 'new Float32Array([1.5, NaN, -0])'],
    methods: 'copyWithin(3) fill(3) reverse(0) set(2) sort(1)',
    changes: true,
  },
  {
    on: ['new Uint8Array([3, 1, 2])', 'new Float64Array([1.5, -0])'],
    methods: `every(1) some(1) filter(1) find(1) findIndex(1) findLast(1) findLastIndex(1) forEach(1) map(1) reduce(2)
      reduceRight(2) sort(1) toSorted(1)`,
    first: functions,
  },
  {
    on: ['new DataView(new Uint8Array([1, 130, 3, 4, 192, 6, 7, 8, 9]).buffer)'],
    methods: ['Int8', 'Uint8', 'Int16', 'Uint16', 'Int32', 'Uint32', 'Float32', 'Float64']
      .map((type) => `get${type}(2)`)
      .join(' '),
  },
];

/** Functions that stand by themselves, and those of globals. `first`: what the first argument may be, of any otherwise. */
export const functionTable = [
  {
    names: `Number(1) String(1) Boolean(1) parseInt(2) parseFloat(1) isNaN(1) isFinite(1) Number.isNaN(1)
      Number.isFinite(1) Number.isInteger(1) Number.isSafeInteger(1) Array.isArray(1) Object.is(2) encodeURIComponent(1)
      encodeURI(1) decodeURIComponent(1) decodeURI(1) structuredClone(1) BigInt(1) Object(1) btoa(1) atob(1)`,
  },
  {
    names: `Math.abs(1) Math.ceil(1) Math.floor(1) Math.round(1) Math.trunc(1) Math.sign(1) Math.sqrt(1) Math.cbrt(1)
      Math.fround(1) Math.clz32(1) Math.imul(2) Math.max(2) Math.min(2) Math.pow(2) Math.hypot(2) Math.log2(1)
      Math.log10(1) Math.log(1) Math.log1p(1) Math.exp(1) Math.expm1(1) Math.sin(1) Math.cos(1) Math.tan(1) Math.asin(1)
      Math.acos(1) Math.atan(1) Math.atan2(2) Math.sinh(1) Math.cosh(1) Math.tanh(1) Math.asinh(1) Math.acosh(1)
      Math.atanh(1)`,
  },
  {
    names: 'Object.keys(1) Object.values(1) Object.entries(1) Object.assign(2) Object.hasOwn(2) Object.fromEntries(1)',
  },
  { names: 'Object.freeze(1) Object.isFrozen(1) Object.getOwnPropertyNames(1)' },
  {
    names: 'Object.fromEntries(1) Array.from(1)',
    first: [
      "[['a', 1], [2, 3]]",
      "[['a']]",
      '[[]]',
      '[1]',
      "['ab']",
      'new Map([[1, { a: 2 }]])',
      'Object.entries({ b: 1, a: 2 })',
      "'ab'",
    ],
  },
  { names: 'Array.from(2) Array.of(2)' },
  {
    names: 'Array.from(2)',
    first: [
      '{ length: 2 }',
      "{ length: '2' }",
      '{ length: -1 }',
      "{ length: 1, 0: 'a' }",
      '[1, , 3]',
      '{ length: NaN }',
      '{ length: 1.5 }',
    ],
  },
  {
    names: 'Array(2)',
    first: ['0', '3', "'3'", 'true', 'null', 'undefined', '[]', '{}', '(-1)', '1.5', 'NaN', '4294967296'],
  },
  { names: 'JSON.stringify(3)' },
  {
    names: 'JSON.stringify(3)',
    first: [
      ...kinds.map((kind) => `{ a: ${kind} }`),
      ...kinds.map((kind) => `[${kind}, 1]`),
      ...["'\\u2028\\ud83d\"\\\\'", '{ b: [1, { c: [] }], 2: {}, 1: [[]] }', '{ toJSON() { return 7; } }'],
    ],
  },
  {
    names: 'JSON.parse(2)',
    first: [
      ...kinds,
      ...[
        '{"b":1,"a":[2,{}],"1":null}',
        ' [1 , -0, 1e400] ',
        '"\\\\u0041\\\\n"',
        '{"a":1,"a":2}',
        '[1,]',
        '{a:1}',
        '01',
        '.5',
        '+1',
        '1.',
        '-',
        'nul',
        '"',
        '[',
        '{"a"',
        '\\u00a01',
        '\\t1\\n',
        '{"__proto__":1}',
        '12345678901234567890',
        '1E5',
        '"\\\\x"',
        '"a\\tb"',
        'true false',
        '[[[]]]',
      ].map((json) => `'${json}'`),
    ],
  },
  { names: 'Date.UTC(3)' },
  {
    names: 'Date.parse(1)',
    first: [
      ...kinds,
      ...[
        '2024',
        '2024-1',
        '2024-01-02',
        '2024-01-02T03',
        '2024-01-02T03:04',
        '2024-01-02T03:04:05.6789Z',
        '2024-01-02 03:04:05',
        '2024-01-02T03:04:05+0200',
        '2024-01-02T24:00',
        '2024-02-30',
        '2024-02-30T00:00Z',
        '1/2/2024',
        '1/2/24',
        '01-02-2024',
        'Jan 2, 2024',
        '2 Jan 2024 10:00 PM',
        'Tue, 02 Jan 2024 03:04:05 GMT',
        'Tue Jan 02 2024',
        '+002024-01-01',
        '-000001-01-01',
        '2024-W01',
        '20240102',
        '02/Jan/2024:03:04:05 +0000',
        '2024-01-02T03:04:05,5',
        'Jan 2024',
        '2024 Jan 2',
        'today',
        '2024-01-02Z',
        '2024-01-02T03:04:05 Z',
        '12:00',
      ].map((text) => `'${text}'`),
    ],
  },
  {
    names:
      'encodeURIComponent(1) encodeURI(1) decodeURIComponent(1) decodeURI(1) btoa(1) atob(1) String(1) Number(1) parseInt(2) parseFloat(1)',
    first: [
      "'a b&c=d/é€?#'",
      "'%E2%82%AC'",
      "'%'",
      "'%2F%20+'",
      "'%u20AC'",
      "'YWJj'",
      "'YW Jj='",
      "'0x1F'",
      "'-0x1f'",
      "'1e3x'",
      "'  12px'",
      "'1_000'",
      "'0b11'",
      "'0o7'",
      "'Infinityx'",
      "'-.5e-2'",
      "'\\u00a05\\ufeff'",
      "'12345678901234567890'",
      "'+5'",
      "'--5'",
      "'1,5'",
      "'٣'",
    ],
  },
];

/** What is made by `new`. */
export const constructors = [
  { names: 'Date(3)' },
  {
    names: 'Map(1)',
    first: [...kinds, "[['a', 1], ['a', 2]]", "[['a']]", '[1]', "['ab']", 'Object.entries({ a: 1 })'],
  },
  { names: 'Set(1)', first: [...kinds, '[0, -0, NaN, NaN]', "'aab'", '[[1], [1]]'] },
  {
    names: 'RegExp(2)',
    first: [
      "'b'",
      "'[a'",
      "'(?<n>b)'",
      '/b/g',
      "''",
      'undefined',
      'null',
      '1',
      "'\\\\d+'",
      "'/'",
      "{ toString() { return 'b'; } }",
    ],
  },
  { names: 'Error(2) TypeError(1)' },
  {
    names: 'Uint8Array(1) Int16Array(1) Uint32Array(1) Float32Array(1) Float64Array(1) Uint8ClampedArray(1)',
    first: [
      ...kinds,
      '[1.5, -1, 300, NaN]',
      "['2', 'x', null]",
      '{ length: 2, 0: 5 }',
      'new Uint8Array([1, 2])',
      "'3'",
    ],
  },
  { names: 'Array(2)', first: ['0', '3', "'3'", '(-1)', '1.5'] },
  { names: 'String(1) Number(1) Boolean(1)' },
];
