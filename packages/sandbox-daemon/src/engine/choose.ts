import { isBuiltinName, type EngineName } from '@mustard-sandbox/protocol';
import { treeOf } from './read/read.ts';
import type { Program } from './read/program.ts';
import { declaredNames, memberName, type AnyNode } from './read/syntax.ts';
import {
  binary,
  consoleArguments,
  elementOf,
  fieldOf,
  given,
  indexOf,
  isGivenName,
  isList,
  isListed,
  isOptionalToTheEnd,
  isPrimitive,
  isWhole,
  joined,
  keyOf,
  literal,
  no,
  ofLibrary,
  ofMethod,
  one,
  ownName,
  Placed,
  plainName,
  someOf,
  template,
  unary,
  type Of,
  type Value,
} from './choose-values.ts';

const longest = 4_000;
const computes = /=>|\b(?:function|class|new|var)\b|\b(?:for|while|switch|catch)\s*\(|<!--|-->|^#!/;

/** Stands for a node that is missing. */
const nothing = { type: 'Literal', value: null, raw: 'null', start: 0, end: 0 } as const;

/**
 * The engine for a script, by its text alone. MustardScript gets scripts that compute little and mean the same there,
 * unchanged, as in JavaScript. QuickJS gets all others. `fuzz -- language --choose` compares what passes with V8.
 */
export function chooseEngine(program: Program): EngineName {
  const { source, waits } = program;
  if (source.length > longest || computes.test(source)) return 'quickjs';
  const tree = treeOf(program);
  if (tree === undefined) return 'quickjs';
  const pass = (): void => new Whitelist(declaredNames(tree), waits).block(tree.body);
  return isListed(pass) ? 'mustardscript' : 'quickjs';
}

/** Walks through a script in the order in which it runs. */
class Whitelist {
  readonly #declared: ReadonlySet<string>;
  readonly #waits: boolean;
  readonly #scopes: Map<string, Value & { isConst: boolean }>[] = [];
  #roots = 0;
  readonly #placed = new Placed();

  constructor(declared: ReadonlySet<string>, waits: boolean) {
    this.#declared = declared;
    this.#waits = waits;
    for (const name of declared) if (!isGivenName(name)) no();
  }

  block(statements: readonly AnyNode[]): void {
    this.#scopes.unshift(new Map());
    for (const statement of statements) this.#statement(statement);
    this.#scopes.shift();
  }

  #statement(node: AnyNode): void {
    if (node.type === 'BlockStatement') this.block(node.body);
    else if (node.type === 'ReturnStatement') this.#value(node.argument ?? nothing);
    else if (node.type === 'ExpressionStatement') {
      const logged = consoleArguments(node.expression);
      if (logged === undefined) this.#value(node.expression);
      else this.#arguments(logged);
    } else if (node.type === 'IfStatement') {
      this.#value(node.test);
      this.block([node.consequent]);
      if (node.alternate) this.block([node.alternate]);
    } else if (node.type === 'VariableDeclaration' && (node.kind === 'const' || node.kind === 'let')) {
      const isConst = node.kind === 'const';
      for (const { id, init } of node.declarations) this.#bind(id, this.#value(init ?? nothing), isConst);
    } else if (node.type !== 'EmptyStatement') no();
  }

  #bind(pattern: AnyNode, value: Value, isConst: boolean): void {
    const { kind, paths } = value;
    switch (pattern.type) {
      case 'Identifier': {
        // An object that was made here begins a path of its own.
        const isFresh = paths.length === 0 && !isPrimitive(value);
        const from = isFresh ? [`#${++this.#roots}`] : paths;
        this.#scopes[0]?.set(plainName(pattern), { kind, paths: from, isConst });
        break;
      }
      case 'AssignmentPattern':
        return this.#bind(pattern.left, joined(value, this.#value(pattern.right)), isConst);
      case 'ObjectPattern':
        for (const property of pattern.properties) {
          if (property.type === 'RestElement') this.#bind(property.argument, kind === 'object' ? value : no(), isConst);
          else this.#bind(property.value, fieldOf(value, keyOf(property)), isConst);
        }
        break;
      case 'ArrayPattern':
        if (!isList(value)) no();
        pattern.elements.forEach((element, at) => {
          if (element?.type === 'RestElement') this.#bind(element.argument, someOf(value), isConst);
          else if (element !== null) this.#bind(element, elementOf(value, String(at)), isConst);
        });
        break;
      default:
        no();
    }
  }

  #value(node: AnyNode): Value {
    switch (node.type) {
      case 'ParenthesizedExpression':
        return this.#value(node.expression);
      case 'Literal':
        return literal(node);
      case 'Identifier':
        return this.#variable(node);
      case 'TemplateLiteral':
        return template(node, (value) => this.#value(value));
      case 'ArrayExpression':
        for (const element of node.elements) {
          if (element?.type === 'SpreadElement') this.#placed.add(elementOf(this.#value(element.argument), '*'));
          else this.#placed.add(this.#value(element ?? nothing));
        }
        return one('list');
      case 'ObjectExpression':
        return this.#object(node);
      case 'ChainExpression':
        return isOptionalToTheEnd(node.expression) ? this.#value(node.expression) : no();
      case 'MemberExpression':
        return this.#member(node);
      case 'AwaitExpression':
        return node.argument.type === 'CallExpression' ? this.#call(node.argument, true) : no();
      case 'CallExpression':
        return this.#call(node, false);
      case 'UnaryExpression':
        return unary(node.operator, this.#value(node.argument));
      case 'BinaryExpression':
        return binary(node.operator, this.#value(node.left), this.#value(node.right));
      case 'LogicalExpression':
        return joined(this.#value(node.left), this.#value(node.right));
      case 'ConditionalExpression':
        this.#value(node.test);
        return joined(this.#value(node.consequent), this.#value(node.alternate));
      case 'AssignmentExpression':
        return this.#assigned(node);
      case 'UpdateExpression':
        return this.#value(node.argument).kind === 'number' ? this.#set(node.argument, one('number')) : no();
      default:
        return no();
    }
  }

  #variable(node: Of<'Identifier'>): Value {
    const name = plainName(node);
    const known = this.#scopes.find((scope) => scope.has(name))?.get(name);
    if (known !== undefined) return known;
    if (name === 'undefined') return one('nothing');
    if (name === 'NaN' || name === 'Infinity') return one('number');
    // A name without a declaration is an input.
    return isGivenName(name) && !this.#declared.has(name) ? { kind: 'any', paths: [name] } : no();
  }

  #object({ properties }: Of<'ObjectExpression'>): Value {
    for (const property of properties) {
      if (property.type === 'SpreadElement') {
        const value = this.#value(property.argument);
        this.#placed.add(value.kind === 'object' ? elementOf(value, '*') : no());
      } else {
        if (property.kind !== 'init' || property.method) no();
        ownName(keyOf(property));
        this.#placed.add(this.#value(property.value));
      }
    }
    return one('object');
  }

  #member(node: Of<'MemberExpression'>): Value {
    const object = this.#value(node.object);
    const index = indexOf(node);
    if (index !== undefined) return isList(object) ? elementOf(object, index) : no();
    const name = memberName(node);
    return isList(object) && name === 'length' ? one('number') : fieldOf(object, name);
  }

  #call({ callee, arguments: args, optional }: Of<'CallExpression'>, isAwaited: boolean): Value {
    if (optional) no();
    if (callee.type === 'MemberExpression') return isAwaited ? no() : this.#method(callee, args);
    if (callee.type !== 'Identifier') return no();
    const name = plainName(callee);
    if (this.#waits !== isAwaited) no();
    this.#arguments(args);
    const paths = [`#${++this.#roots}${name}`];
    if (isBuiltinName(name)) return { kind: given[name] ?? no(), paths };
    return isGivenName(name) && !this.#declared.has(name) ? { kind: 'any', paths } : no();
  }

  #arguments(args: readonly AnyNode[]): void {
    this.#placed.inCall(() => {
      for (const arg of args) this.#placed.add(arg.type === 'SpreadElement' ? no() : this.#value(arg));
    });
  }

  #method(callee: Of<'MemberExpression'>, args: readonly AnyNode[]): Value {
    const { object } = callee;
    const name = memberName(callee) ?? no();
    const [arg, ...more] = args as [AnyNode?, ...AnyNode[]];
    if (object.type === 'Identifier' && /^[A-Z]/.test(object.name)) {
      if (arg === undefined || arg.type === 'SpreadElement' || this.#declared.has(object.name)) no();
      return ofLibrary(`${object.name}.${name}`, this.#value(arg), more);
    }
    const value = this.#value(object);
    if (name === 'slice') return args.every(isWhole) && args.length < 3 && isList(value) ? someOf(value) : no();
    if (arg === undefined || more.length > 0 || arg.type === 'SpreadElement') no();
    return this.#value(arg).kind === 'text' ? ofMethod(name, value) : no();
  }

  #assigned({ left, operator, right }: Of<'AssignmentExpression'>): Value {
    if (left.type !== 'MemberExpression') {
      if (operator === '=') return this.#set(left, this.#value(right));
      return this.#set(left, binary(operator.slice(0, -1), this.#value(left), this.#value(right)));
    }
    const isPlain = operator === '=' && !left.computed && left.object.type === 'Identifier';
    if (!isPlain || this.#value(left.object).kind !== 'object') no();
    ownName(memberName(left));
    const value = this.#value(right);
    this.#placed.add(value);
    return value;
  }

  #set(target: AnyNode, value: Value): Value {
    const variable = target.type === 'Identifier' && this.#scopes.find((scope) => scope.has(target.name));
    const known = variable ? variable.get(target.name) : undefined;
    if (!variable || known === undefined || known.isConst) return no();
    variable.set(target.name, { ...joined(known, value), isConst: false });
    return value;
  }
}
