import type { RunWarning } from '@mustard-sandbox/protocol';
import { treeOf } from '../read/read.ts';
import type { Program } from '../read/program.ts';
import { isFunction, memberName, unwrap, walk, type AnyNode, type MemberExpression } from '../read/syntax.ts';

type Call = Extract<AnyNode, { type: 'CallExpression' }>;

/**
 * The differences that give another value than in JavaScript without an error. Each key is a row in
 * docs/mustardscript.md.
 */
const messages = {
  'code-points':
    'length, positions and . in patterns count code points here and not UTF-16 units, so they differ after characters such as emoji.',
  template: 'A template without text between its values adds numbers up here. Write String(a) + b.',
  'optional-chain':
    'After ?. a plain step does not stop here when the value before it is missing. Write ?. at each further step.',
  round: 'Math.round rounds halves of negative numbers away from zero here. Write Math.floor(x + 0.5).',
  'not-a-number': 'Math.max and Math.min ignore NaN here.',
  'last-digit': 'The last digits of ** and Math.pow may differ here.',
  'to-fixed': 'toFixed rounds halves to the even digit here: (2.5).toFixed(0) is "2".',
  coerced: 'isNaN and isFinite take only numbers here: write isNaN(Number(x)).',
  replacement:
    'When the pattern is a text and the replacement is a text, $1 and $& in the replacement are plain text here.',
  'parse-int': 'map(parseInt) gives NaN here: write map((text) => parseInt(text, 10)).',
  'own-conversion':
    'Methods toString, valueOf and [Symbol.toPrimitive] of an object are not called here. Call them yourself.',
  'own-proto': '__proto__ is an ordinary field here.',
  'one-at-a-time': 'Calls of host functions run one after another here, even in Promise.all.',
  'date-text': 'Only dates in ISO 8601 are read here, such as 2024-01-02T03:04:00Z.',
  'block-function': 'A function that is declared in a block is known only in that block here.',
  'multi-line': 'With the flag m, ^ and $ recognise only \\n as the end of a line here.',
} as const;
type Id = keyof typeof messages;

const positional = new Set(
  'length indexOf lastIndexOf slice substring charAt charCodeAt at padStart padEnd search'.split(' '),
);
const astral = /[\u{10000}-\u{10FFFF}]|\\u\{[1-9a-f]\w{4}|\\u[dD][89abAB]/u;
/** Every difference shows at least one of these. Most scripts have none of them, so they are not parsed for it. */
const mayDiffer =
  /[\u{10000}-\u{10FFFF}]|\\u[{dD]|`|\?\.|Math\.|\*\*|toFixed|isNaN|isFinite|replace|parseInt|toString|valueOf|Symbol|__proto__|Promise|Date|function|\/\w*m/u;

/**
 * One warning for each kind of difference from JavaScript that the text of a script shows, with the first line of it.
 */
export function differencesOf(program: Program): RunWarning[] {
  if (!mayDiffer.test(program.source)) return [];
  const tree = treeOf(program);
  if (tree === undefined) return [];
  const found = new Map<Id, RunWarning>();
  const reads = readsPositions(tree);
  const bodies = new Set<AnyNode | undefined>([tree]);
  walk(tree, (node, parent) => {
    if (isFunction(node)) bodies.add(node.body);
    const isInBlock = !bodies.has(parent);
    const id = differenceAt(node, parent, { reads, isInBlock });
    if (id === undefined || found.has(id)) return;
    const line = program.source.slice(0, node.start).split('\n').length;
    found.set(id, { id, message: messages[id], line });
  });
  return [...found.values()];
}

/** Whether a script reads lengths or positions of texts at all. */
function readsPositions(tree: AnyNode): boolean {
  let found = false;
  walk(tree, (node) => {
    if (node.type === 'Literal' && 'regex' in node && node.regex) found = true;
    if (node.type !== 'MemberExpression') return;
    const name = memberName(node);
    if (name === undefined ? node.computed : positional.has(name)) found = true;
  });
  return found;
}

interface Around {
  reads: boolean;
  /** Whether this is a block outside of which JavaScript would know what it declares. */
  isInBlock: boolean;
}

function differenceAt(node: AnyNode, parent: AnyNode | undefined, { reads, isInBlock }: Around): Id | undefined {
  switch (node.type) {
    case 'Literal':
      if ('regex' in node && node.regex) return node.regex.flags.includes('m') ? 'multi-line' : undefined;
      return reads && typeof node.value === 'string' && astral.test(node.raw ?? '') ? 'code-points' : undefined;
    case 'TemplateElement':
      return reads && astral.test(node.value.raw) ? 'code-points' : undefined;
    case 'TemplateLiteral':
      return parent?.type !== 'TaggedTemplateExpression' && isBare(node) ? 'template' : undefined;
    case 'ChainExpression':
      return goesOnPlainly(node.expression) ? 'optional-chain' : undefined;
    case 'BinaryExpression':
    case 'AssignmentExpression':
      return node.operator.startsWith('**') ? 'last-digit' : undefined;
    case 'Property':
      return ownProperty(node);
    case 'MemberExpression':
      return memberName(node) === '__proto__' ? 'own-proto' : undefined;
    case 'FunctionDeclaration':
      return isInBlock ? 'block-function' : undefined;
    case 'NewExpression':
      return isName(node.callee, 'Date') && isOtherDate(node.arguments) ? 'date-text' : undefined;
    case 'CallExpression':
      return callDifference(node);
    default:
      return undefined;
  }
}

/** Whether it holds nothing but values, or no text before its second value. */
function isBare({ quasis, expressions }: Extract<AnyNode, { type: 'TemplateLiteral' }>): boolean {
  return expressions.length > 0 && quasis[0]?.value.raw === '' && quasis[1]?.value.raw === '';
}

/** `a?.b.c` */
function goesOnPlainly(node: AnyNode): boolean {
  let isPlain = false;
  for (let link = node; ;) {
    if (link.type !== 'MemberExpression' && link.type !== 'CallExpression') return false;
    if (link.optional && isPlain) return true;
    // A call of the value that was found is not a further step: `a?.b()`.
    isPlain ||= link.type === 'MemberExpression' && !link.optional;
    link = link.type === 'MemberExpression' ? link.object : link.callee;
  }
}

function ownProperty({ key, computed, value }: Extract<AnyNode, { type: 'Property' }>): Id | undefined {
  const name = key.type === 'Identifier' && !computed ? key.name : key.type === 'Literal' ? key.value : undefined;
  if (name === '__proto__') return 'own-proto';
  const isConversion = name === 'toString' || name === 'valueOf';
  return isConversion && /Function/.test(value.type) ? 'own-conversion' : undefined;
}

function isName(node: AnyNode, name: string): boolean {
  return node.type === 'Identifier' && node.name === name;
}

const isoDate = /^\d{4}(?:-\d\d(?:-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[-+]\d\d:\d\d)?)?)?)?$/;

/**
 * Whether it is a date in words or with a space. A value that is not a literal may be one too, but the script does not
 * show that.
 */
function isOtherDate([text]: readonly AnyNode[]): boolean {
  return text?.type === 'Literal' && typeof text.value === 'string' && !isoDate.test(text.value);
}

function callDifference(node: Call): Id | undefined {
  const { callee, arguments: args } = node;
  if (callee.type === 'Identifier') return /^(?:isNaN|isFinite)$/.test(callee.name) ? 'coerced' : undefined;
  return callee.type === 'MemberExpression' ? methodDifference(callee, args) : undefined;
}

function methodDifference(callee: MemberExpression, args: readonly AnyNode[]): Id | undefined {
  const name = memberName(callee);
  if (isName(callee.object, 'Math')) {
    if (name === 'round') return 'round';
    if (name === 'pow') return 'last-digit';
    return name === 'max' || name === 'min' ? 'not-a-number' : undefined;
  }
  if (isName(callee.object, 'Promise'))
    return /^(?:all|allSettled|any|race)$/.test(name ?? '') ? 'one-at-a-time' : undefined;
  if (isName(callee.object, 'Date')) return name === 'parse' && isOtherDate(args) ? 'date-text' : undefined;
  if (name === 'toFixed') return 'to-fixed';
  const [first, second] = args.map(unwrap);
  if (name === 'map' && first !== undefined && isName(first, 'parseInt')) return 'parse-int';
  const isReplacing = (name === 'replace' || name === 'replaceAll') && first?.type === 'Literal' && !('regex' in first);
  const isText = second?.type === 'Literal' && typeof second.value === 'string' && second.value.includes('$');
  return isReplacing && isText ? 'replacement' : undefined;
}
