import { methodCall, memberName, unwrap, type AnyNode } from './syntax.ts';

const arithmetic = new Set(['-', '*', '/', '%', '**', '&', '|', '^', '<<', '>>', '>>>']);
const numericMethods = new Set([
  ...['getTime', 'valueOf', 'indexOf', 'lastIndexOf', 'findIndex', 'charCodeAt', 'getFullYear'],
  ...['getMonth', 'getDate', 'getDay', 'getHours', 'getMinutes', 'getSeconds', 'getUTCFullYear', 'localeCompare'],
]);
const anyArithmetic = new Set([...arithmetic].map((operator) => `${operator}=`));
const numericFunctions = new Set(['Number', 'parseInt', 'parseFloat']);

/** Whether a value is a number for certain (or a BigInt), so that arithmetic on it needs no care. */
export function isNumeric(node: AnyNode, names: ReadonlySet<string>): boolean {
  const inner = unwrap(node);
  switch (inner.type) {
    case 'Literal':
      return typeof inner.value === 'number';
    case 'Identifier':
      return names.has(inner.name);
    case 'UnaryExpression':
      return inner.operator === '-' || inner.operator === '+' || inner.operator === '~';
    case 'UpdateExpression':
      return true;
    case 'BinaryExpression':
      if (inner.operator === '+') return isNumeric(inner.left, names) && isNumeric(inner.right, names);
      return arithmetic.has(inner.operator);
    case 'MemberExpression': {
      const name = memberName(inner);
      return name === 'length' || name === 'size';
    }
    case 'ConditionalExpression':
      return isNumeric(inner.consequent, names) && isNumeric(inner.alternate, names);
    case 'CallExpression': {
      if (inner.callee.type === 'Identifier') return numericFunctions.has(inner.callee.name);
      const call = methodCall(inner);
      if (call === undefined) return false;
      const { object, name } = call;
      if (object.type === 'Identifier' && object.name === 'Math') return true;
      return numericMethods.has(name) || (object.type === 'Identifier' && object.name === 'Date' && name === 'now');
    }
    default:
      return false;
  }
}

/**
 * Whether it is such a value where `undefined` is another argument than a number: an object of the script may have no
 * `length`. In arithmetic that makes no difference.
 */
export function isGivenNumber(node: AnyNode, names: ReadonlySet<string>): boolean {
  const inner = unwrap(node);
  if (inner.type === 'MemberExpression') {
    const { type, ...object } = unwrap(inner.object);
    const isText = type === 'Literal' && 'value' in object && typeof object.value === 'string';
    return (isText || type === 'TemplateLiteral' || type === 'ArrayExpression') && isNumeric(inner, names);
  }
  if (inner.type === 'ConditionalExpression')
    return isGivenNumber(inner.consequent, names) && isGivenNumber(inner.alternate, names);
  return isNumeric(inner, names);
}

export const bitwiseAssignments = new Set(['&=', '|=', '^=', '<<=', '>>=', '>>>=']);
const bitwise = new Set(['&', '|', '^', '<<', '>>', '>>>']);
const indexMethods = new Set(['indexOf', 'lastIndexOf', 'findIndex', 'charCodeAt', 'getMonth', 'getDay']);

/** Whether a value is a whole number of an ordinary size for certain, such as a counter, or `NaN`. */
export function isIndex(node: AnyNode, names: ReadonlySet<string>): boolean {
  const inner = unwrap(node);
  switch (inner.type) {
    case 'Literal':
      return Number.isSafeInteger(inner.value);
    case 'Identifier':
      return names.has(inner.name);
    case 'UpdateExpression':
      return isIndex(inner.argument, names);
    case 'BinaryExpression': {
      const { operator, left, right } = inner;
      if (bitwise.has(operator)) return true;
      return ['+', '-', '%'].includes(operator) && isIndex(left, names) && isIndex(right, names);
    }
    case 'MemberExpression': {
      const name = memberName(inner);
      return name === 'length' || name === 'size';
    }
    case 'ConditionalExpression':
      return isIndex(inner.consequent, names) && isIndex(inner.alternate, names);
    case 'CallExpression': {
      const call = methodCall(inner);
      return call !== undefined && indexMethods.has(call.name);
    }
    default:
      return false;
  }
}

/** A sum of two variables may grow beyond all measure when it is taken again and again. */
export function isStep(node: AnyNode, names: ReadonlySet<string>): boolean {
  const inner = unwrap(node);
  if (inner.type === 'BinaryExpression' && (inner.operator === '+' || inner.operator === '-')) {
    const isLiteral = (side: AnyNode): boolean => unwrap(side).type === 'Literal';
    if (!isLiteral(inner.left) && !isLiteral(inner.right)) return false;
  }
  return isIndex(inner, names);
}

/** Finds the names that are given nothing but such values, wherever they stand. */
export class NumericNames {
  readonly #candidates = new Map<string, AnyNode[]>();
  readonly #others = new Set<string>();
  /** The properties of patterns: what stands in them is bound. */
  readonly #bound = new Set<AnyNode>();
  readonly #isRight: (value: AnyNode, names: ReadonlySet<string>) => boolean;
  /** Compound assignments that leave such a value one, whatever is on the right. */
  readonly #operators: ReadonlySet<string>;

  constructor(isRight = isNumeric, operators: ReadonlySet<string> = anyArithmetic) {
    this.#isRight = isRight;
    this.#operators = operators;
  }

  /** Called for each node before those within it. */
  look(node: AnyNode, parent: AnyNode | undefined): void {
    if (node.type === 'ObjectPattern') {
      for (const property of node.properties) this.#bound.add(property);
    } else if (node.type === 'VariableDeclarator') {
      if (node.id.type === 'Identifier' && node.init) this.#given(node.id.name, node.init);
    } else if (node.type === 'AssignmentExpression') {
      if (node.left.type !== 'Identifier' || this.#operators.has(node.operator)) return;
      if (node.operator === '=' || node.operator === '+=' || node.operator === '-=') {
        this.#given(node.left.name, node.right, node.operator !== '=');
      } else {
        this.#others.add(node.left.name);
      }
    } else if (node.type === 'Identifier' && !this.#isPlain(node, parent)) {
      this.#others.add(node.name);
    }
  }

  found(): Set<string> {
    const names = new Set([...this.#candidates.keys()].filter((name) => !this.#others.has(name)));
    // A name may depend on another: take away until nothing changes.
    for (let size = -1; size !== names.size;) {
      size = names.size;
      for (const name of names) {
        if (!(this.#candidates.get(name) as AnyNode[]).every((value) => this.#isRight(value, names)))
          names.delete(name);
      }
    }
    return names;
  }

  #given(name: string, value: AnyNode, isAdded = false): void {
    if (isAdded && this.#isRight === isStep && unwrap(value).type !== 'Literal') this.#others.add(name);
    this.#candidates.set(name, [...(this.#candidates.get(name) ?? []), value]);
  }

  /** Whether the identifier is read, or written where `look` sees by what. */
  #isPlain(node: AnyNode, parent: AnyNode | undefined): boolean {
    switch (parent?.type) {
      case 'VariableDeclarator':
        return parent.id !== node || Boolean(parent.init);
      case 'FunctionDeclaration':
      case 'FunctionExpression':
      case 'ArrowFunctionExpression':
        return parent.body === node;
      case 'ArrayPattern':
      case 'RestElement':
      case 'AssignmentPattern':
      case 'CatchClause':
      case 'ForInStatement':
      case 'ForOfStatement':
      case 'ClassDeclaration':
        return false;
      case 'Property':
        return parent.value !== node || !this.#bound.has(parent);
      default:
        return true;
    }
  }
}
