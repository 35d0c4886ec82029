import { isBuiltinName, type BuiltinName } from '../protocol/builtins.ts';
import type { EngineName } from '../protocol/engines.ts';
import { treeOf, type Program } from './read/read.ts';
import { declaredNames, memberName, unwrap, type AnyNode } from './read/syntax.ts';
import {
  binary,
  elementOf,
  indexOf,
  isIndent,
  isListed,
  isOptionalToTheEnd,
  isPlainText,
  isPrimitive,
  isWhole,
  joined,
  keyOf,
  literal,
  meets,
  no,
  one,
  plainName,
  unary,
  type Kind,
  type Of,
  type Value,
} from './choose-values.ts';

const longest = 4_000;
const computes = /=>|\b(?:function|class|new|var)\b|\b(?:for|while|switch|catch)\s*\(|<!--|-->|^#!/;
const given: Partial<Record<BuiltinName, Kind>> = {
  ...({ search: 'list', read_lines: 'texts', find_files: 'texts', list_files: 'texts', pdf_text: 'texts' } as const),
  ...({ read_file: 'text', read_json: 'any', query: 'object', file_stats: 'object' } as const),
};
const fieldsOf: Record<string, Kind> = {
  'query.rows': 'list',
  'file_stats.size': 'number',
  'file_stats.mtime': 'text',
};
/** Names of members that some value has by itself: there the two languages differ, or nobody has tried. */
const inherited = new Set(
  [Object, String, Array, Number, Boolean, Function].flatMap((of) => [
    ...Object.getOwnPropertyNames(of.prototype as object),
  ]),
);
inherited.delete('name');
['toJSON', 'then', 'toWellFormed', 'at', 'with', 'group', 'groupToMap'].forEach((name) => inherited.add(name));
/** No names of inputs or host functions, as far as a script shows. */
const ambient = /^(?:[A-Z_$]|(?:arguments|require|module|exports|window|self|document|undefined)$)/;
/**
 * The engine for a script, by its text alone: MustardScript for what does not compute and means there, without a change,
 * what it means in JavaScript; QuickJS for all else. `fuzz -- language --choose` compares what passes with V8.
 */
export function chooseEngine(program: Program): EngineName {
  const { source, waits } = program;
  if (source.length > longest || computes.test(source)) return 'quickjs';
  const tree = treeOf(program);
  if (tree === undefined) return 'quickjs';
  const pass = (): void => new Whitelist(declaredNames(tree), waits).block(tree.body);
  return isListed(pass) ? 'mustardscript' : 'quickjs';
}

/** Goes through a script in the order in which it runs. */
class Whitelist {
  readonly #declared: ReadonlySet<string>;
  readonly #waits: boolean;
  readonly #scopes: Map<string, Value & { isConst: boolean }>[] = [];
  #roots = 0;
  /** What was put into lists and objects. */
  #placed: string[] = [];

  constructor(declared: ReadonlySet<string>, waits: boolean) {
    this.#declared = declared;
    this.#waits = waits;
    for (const name of declared) if (name in globalThis || ambient.test(name) || isBuiltinName(name)) no();
  }

  block(statements: readonly AnyNode[]): void {
    this.#scopes.unshift(new Map());
    for (const statement of statements) this.#statement(statement);
    this.#scopes.shift();
  }

  #statement(node: AnyNode): void {
    if (node.type === 'ExpressionStatement') {
      if (!this.#isConsole(node.expression)) this.#value(node.expression);
    } else if (node.type === 'BlockStatement') this.block(node.body);
    else if (node.type === 'ReturnStatement') {
      if (node.argument) this.#value(node.argument);
    } else if (node.type === 'IfStatement') {
      this.#value(node.test);
      this.block([node.consequent]);
      if (node.alternate) this.block([node.alternate]);
    } else if (node.type === 'VariableDeclaration' && (node.kind === 'const' || node.kind === 'let')) {
      const isConst = node.kind === 'const';
      for (const { id, init } of node.declarations) this.#bind(id, init ? this.#value(init) : one('nothing'), isConst);
    } else if (node.type !== 'EmptyStatement') no();
  }

  /** What a call of the console gives is nothing in one engine and a promise in the other, so it must not be used. */
  #isConsole(node: AnyNode): boolean {
    if (node.type !== 'CallExpression' || node.optional || node.callee.type !== 'MemberExpression') return false;
    const { object, computed } = node.callee;
    if (object.type !== 'Identifier' || object.name !== 'console' || computed) return false;
    if (!['log', 'warn', 'error'].includes(memberName(node.callee) ?? '')) no();
    this.#arguments(node.arguments);
    return true;
  }

  #bind(pattern: AnyNode, value: Value, isConst: boolean): void {
    const { kind, paths } = value;
    switch (pattern.type) {
      case 'Identifier': {
        // What was made here begins a path of its own.
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
          else this.#bind(property.value, this.#field(value, keyOf(property)), isConst);
        }
        break;
      case 'ArrayPattern':
        if (kind !== 'list' && kind !== 'texts') no();
        pattern.elements.forEach((element, at) => {
          if (element?.type === 'RestElement') this.#bind(element.argument, value, isConst);
          else if (element !== null) this.#bind(element, elementOf(value, String(at)), isConst);
        });
        break;
      default:
        no();
    }
  }

  /** One name of a known object. */
  #field({ kind, paths }: Value, name: string): Value {
    if (inherited.has(name) || kind === 'text' || kind === 'primitive') no();
    // A function of the host may be what it is asked of.
    if (name === 'name' && paths.some((path) => !/[#.]/.test(path))) no();
    const known = paths.length === 1 ? fieldsOf[`${(paths[0] as string).replace(/^.*#\d*/, '')}.${name}`] : undefined;
    return { kind: known ?? 'any', paths: paths.map((path) => `${path}.${name}`) };
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
        return this.#template(node);
      case 'ArrayExpression':
        for (const element of node.elements) {
          if (element?.type === 'SpreadElement') this.#place(elementOf(this.#value(element.argument), '*'));
          else if (element !== null) this.#place(this.#value(element));
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
    // An input.
    return this.#isFree(name) ? { kind: 'any', paths: [name] } : no();
  }

  #isFree(name: string): boolean {
    return !this.#declared.has(name) && !(name in globalThis) && !ambient.test(name) && !isBuiltinName(name);
  }

  /** MustardScript adds up what has no text between it. */
  #template({ quasis, expressions }: Of<'TemplateLiteral'>): Value {
    const values = expressions.map((expression) => this.#value(expression));
    if (!values.every(isPrimitive) || !quasis.every(({ value }) => isPlainText(value))) no();
    const isText = [0, 1].some((at) => quasis[at]?.value.raw || values[at]?.kind === 'text');
    return isText || values.length === 0 ? one('text') : no();
  }

  #object({ properties }: Of<'ObjectExpression'>): Value {
    for (const property of properties) {
      if (property.type === 'SpreadElement') {
        const value = this.#value(property.argument);
        this.#place(value.kind === 'object' ? elementOf(value, '*') : no());
      } else {
        if (property.kind !== 'init' || property.method || inherited.has(keyOf(property))) no();
        this.#place(this.#value(property.value));
      }
    }
    return one('object');
  }

  #member(node: Of<'MemberExpression'>): Value {
    const object = this.#value(node.object);
    const isList = object.kind === 'list' || object.kind === 'texts';
    const index = indexOf(node);
    if (index !== undefined) return isList ? elementOf(object, index) : no();
    const name = memberName(node) ?? no();
    return isList && name === 'length' ? one('number') : this.#field(object, name);
  }

  #call({ callee, arguments: args, optional }: Of<'CallExpression'>, isAwaited: boolean): Value {
    if (optional) no();
    if (callee.type === 'MemberExpression') return isAwaited ? no() : this.#method(callee, args);
    if (callee.type !== 'Identifier') return no();
    const name = plainName(callee);
    if (name === 'String' && !isAwaited && args.length === 1) {
      return isPrimitive(this.#value(args[0] as AnyNode)) ? one('text') : no();
    }
    if (this.#waits !== isAwaited) no();
    this.#arguments(args);
    const paths = [`#${++this.#roots}${name}`];
    if (isBuiltinName(name)) return { kind: given[name] ?? no(), paths };
    return this.#isFree(name) ? { kind: 'any', paths } : no();
  }

  /** An object may be in two calls, but only once in each. */
  #arguments(args: readonly AnyNode[]): void {
    const outer = this.#placed;
    this.#placed = [];
    for (const arg of args) this.#place(arg.type === 'SpreadElement' ? no() : this.#value(arg));
    // What is in an object of the script's own stands among the others.
    if (this.#placed.some((path) => /^#\d+(?:\.|$)/.test(path)) && this.#placed.some((path) => meets(path, outer)))
      no();
    this.#placed = outer;
  }

  #method(callee: Of<'MemberExpression'>, args: readonly AnyNode[]): Value {
    const { object } = callee;
    const name = memberName(callee) ?? no();
    const [arg, ...more] = args as [AnyNode?, ...AnyNode[]];
    if (object.type === 'Identifier' && /^[A-Z]/.test(object.name)) {
      if (arg === undefined || arg.type === 'SpreadElement' || this.#declared.has(object.name)) no();
      const value = this.#value(arg);
      const library = `${object.name}.${name}`;
      if (library === 'Array.isArray' && more.length === 0) return one('boolean');
      if (library === 'JSON.stringify') return isIndent(more) ? one('primitive') : no();
      if (/^Math\.(?:floor|ceil|abs|trunc)$/.test(library)) {
        return value.kind === 'number' && more.length === 0 ? one('number') : no();
      }
      if (!/^Object\.(?:keys|values|entries)$/.test(library) || value.kind !== 'object' || more.length > 0) no();
      return library === 'Object.keys' ? one('texts') : { kind: 'list', paths: value.paths };
    }
    const value = this.#value(object);
    const { kind } = value;
    if (kind !== 'text' && kind !== 'texts' && kind !== 'list') no();
    if (name === 'slice' && kind !== 'text') return args.every(isWhole) && args.length < 3 ? value : no();
    if (arg === undefined || more.length > 0 || arg.type === 'SpreadElement' || this.#value(arg).kind !== 'text') no();
    if (name === 'join' && kind === 'texts') return one('text');
    const isAsked = name === 'includes' || (kind === 'text' && /^(?:starts|ends)With$/.test(name));
    return isAsked && kind !== 'list' ? one('boolean') : no();
  }

  #assigned({ left, operator, right }: Of<'AssignmentExpression'>): Value {
    if (operator === '=') {
      if (left.type !== 'MemberExpression') return this.#set(left, this.#value(right));
      if (this.#value(left.object).kind !== 'object' || left.computed || unwrap(left.object).type !== 'Identifier')
        no();
      this.#field(one('object'), memberName(left) ?? no());
      const value = this.#value(right);
      this.#place(value);
      return value;
    }
    const before = this.#value(left);
    return this.#set(
      left,
      binary(/^[-+*/%]=$/.test(operator) ? operator.slice(0, -1) : no(), before, this.#value(right)),
    );
  }

  #set(target: AnyNode, value: Value): Value {
    const variable = target.type === 'Identifier' && this.#scopes.find((scope) => scope.has(target.name));
    const known = variable ? variable.get(target.name) : undefined;
    if (!variable || known === undefined || known.isConst) return no();
    variable.set(target.name, { ...joined(known, value), isConst: false });
    return value;
  }

  #place(value: Value): void {
    const { paths } = value;
    if (isPrimitive(value)) return;
    if (paths.some((path) => meets(path, this.#placed))) no();
    this.#placed.push(...paths);
  }
}
