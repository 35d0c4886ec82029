import type { Class, MethodDefinition, PropertyDefinition, StaticBlock } from 'acorn';
import type { Rewriter } from '../../rewriter.ts';
import { Refusal } from '../../rewriter.ts';
import type { Rule } from '../../rule.ts';
import { refuseAssignedParameters, usesArguments } from '../functions.ts';
import { assigned, bindingNames, iteratorSymbol, walk, type AnyNode, type FunctionNode } from '../../syntax.ts';

/**
 * The engine has no classes and no prototypes. A class becomes a record of its parts (`__ms_class`), an instance a plain
 * object with its fields, and a table leads from an instance to its class. Names of methods and accessors that some class
 * has are looked up there, wherever they stand behind a dot.
 *
 *     class A { #n = 1; add(x) { return (this.#n += x); } }
 *     let A = __ms_class(function A() { … }, undefined, { fields() { __ms_own(this).A_n = 1; }, methods: { add(x) { … } } … })
 *     new A().add(2)   →   __ms_call(__ms_new(A), 'add', 2)
 */
export const classes: Rule = {
  id: 'class',
  on: ['ClassDeclaration', 'ClassExpression'],
  rewrite(node, rewriter) {
    if (node.type !== 'ClassDeclaration' && node.type !== 'ClassExpression') return false;
    const name = node.id?.name;
    if (name !== undefined) refuseAssigned(node, name);
    const isDeclared = node.type === 'ClassDeclaration' && name !== undefined;
    if (isDeclared) rewriter.output.write(`let ${name} = `, node);
    else if (name !== undefined) rewriter.output.write(`(() => { const ${name} = `, node);
    else rewriter.output.write(`${rewriter.helper('setUp')}(`, node);
    writeClass(node, name ?? nameFromAround(rewriter), rewriter);
    const setUp = rewriter.helper('setUp');
    if (isDeclared) rewriter.output.write(`; ${setUp}(${name});`, node);
    else if (name !== undefined) rewriter.output.write(`; return ${setUp}(${name}); })()`, node);
    else rewriter.output.write(')', node);
    return true;
  },
};

/** In its own body the name of a class is a constant. */
function refuseAssigned(node: Class & AnyNode, name: string): void {
  walk(node.body, (inner) => {
    const target = assigned(inner);
    const names = new Set<string>();
    if (target !== undefined) bindingNames(target, names);
    if (names.has(name)) throw new Refusal(`the class ${name} cannot be assigned in its own body`, inner);
  });
}

function nameFromAround(rewriter: Rewriter): string {
  const parent = rewriter.ancestors.at(-1);
  return parent?.type === 'VariableDeclarator' && parent.id.type === 'Identifier' ? parent.id.name : '';
}

type Member = MethodDefinition | PropertyDefinition | StaticBlock;

function writeClass(node: Class & AnyNode, name: string, rewriter: Rewriter): void {
  const { output } = rewriter;
  const id = rewriter.classes.enter(node, name);
  output.write(
    `${rewriter.helper('class')}(function ${name}() { throw new TypeError("Class constructor ${name} cannot be invoked without 'new'"); }, `,
    node,
  );
  if (node.superClass) rewriter.write(node, node.superClass, ', ');
  else output.write('undefined, ', node);
  output.write(`(${id}) => ({ `, node);
  const members = node.body.body as Member[];
  const constructor = members.find((member) => member.type === 'MethodDefinition' && member.kind === 'constructor');
  if (constructor?.type === 'MethodDefinition') writeConstructor(constructor, node, id, rewriter);
  writeFields(
    'fields',
    members.filter((member) => !isStatic(member)),
    id,
    rewriter,
  );
  writeFields('setUp', members.filter(isStatic), id, rewriter);
  for (const [part, accepts] of parts) {
    output.write(`${part}: { `, node);
    for (const member of members) {
      refuseThenable(member, rewriter);
      refuseOfFunction(member);
      if (member.type !== 'MethodDefinition' || member === constructor || !accepts(member)) continue;
      const value = member.value as FunctionNode;
      const async = value.async && !value.generator ? 'async ' : '';
      output.write(async, member);
      writeKey(member, rewriter);
      rewriter.write(member, value);
      output.write(', ', member);
    }
    output.write('}, ', node);
  }
  output.write('}))', node);
  rewriter.classes.leave();
}

const parts: [string, (member: MethodDefinition) => boolean][] = [
  ['methods', (member) => !member.static && member.kind === 'method' && !isPrivate(member)],
  ['getters', (member) => !member.static && member.kind === 'get' && !isPrivate(member)],
  ['setters', (member) => !member.static && member.kind === 'set' && !isPrivate(member)],
  ['privates', (member) => !member.static && member.kind === 'method' && isPrivate(member)],
  ['statics', (member) => member.static && member.kind === 'method' && !isPrivate(member)],
  ['staticPrivates', (member) => member.static && member.kind === 'method' && isPrivate(member)],
  ['staticGetters', (member) => member.static && member.kind === 'get' && !isPrivate(member)],
  ['staticSetters', (member) => member.static && member.kind === 'set' && !isPrivate(member)],
];

function isPrivate(member: MethodDefinition | PropertyDefinition): boolean {
  if (
    member.key.type === 'PrivateIdentifier' &&
    member.type === 'MethodDefinition' &&
    (member.kind === 'get' || member.kind === 'set')
  ) {
    throw new Refusal('private accessors are not supported: write a private method', member);
  }
  return member.key.type === 'PrivateIdentifier';
}

/** The engine looks for `then` in the object itself, and does not wait for what has it of its class. */
function refuseThenable(member: Member, { facts }: Rewriter): void {
  if (member.type !== 'MethodDefinition' || member.key.type !== 'Identifier' || member.key.name !== 'then') return;
  if (member.computed || member.static || !(facts.isAsync || facts.references.has('Promise'))) return;
  throw new Refusal('await does not call a method then of a class here: name it in another way, and call it', member);
}

/** A class is a function here: these are its own, whatever is given to it, and nothing asks it for its text. */
const ofFunctions = new Set(['length', 'name', 'toString', 'valueOf']);

function refuseOfFunction(member: Member): void {
  if (member.type === 'StaticBlock' || !member.static || member.computed) return;
  const { key } = member;
  const name = key.type === 'Identifier' ? key.name : key.type === 'Literal' ? String(key.value) : '';
  // Who reads a field asks for its getter first.
  const isGetter = member.type === 'MethodDefinition' && (member.kind === 'get' || member.kind === 'set');
  if (!ofFunctions.has(name) || (isGetter && (name === 'length' || name === 'name'))) return;
  throw new Refusal(`a class with a static ${name} is not supported: name it in another way`, member);
}

function isStatic(member: Member): boolean {
  return member.type === 'StaticBlock' || member.static;
}

function writeKey(member: MethodDefinition, rewriter: Rewriter): void {
  const key = member.key as AnyNode;
  const symbol = iteratorSymbol(key, member.computed);
  if (key.type === 'PrivateIdentifier') rewriter.output.write(rewriter.classes.privateName(key), member);
  else if (symbol !== undefined) rewriter.output.write(`'@@${symbol}'`, member);
  else if (member.computed) rewriter.write(member, '[', key, ']');
  else rewriter.output.copy(key.start, key.end);
}

function writeFields(part: string, members: Member[], id: string, rewriter: Rewriter): void {
  const fields = members.filter((member) => member.type !== 'MethodDefinition');
  if (fields.length === 0) return;
  rewriter.output.write(`${part}() { `, fields[0] as AnyNode);
  for (const field of fields) {
    if (field.type === 'StaticBlock') {
      rewriter.output.write('(() => {', field);
      for (const statement of field.body) rewriter.write(field, statement);
      rewriter.output.write('})(); ', field);
      continue;
    }
    const key = field.key as AnyNode;
    if (key.type === 'PrivateIdentifier') {
      rewriter.output.write(`${rewriter.helper('own')}(this).${rewriter.classes.privateName(key)} = `, field);
    } else if (field.computed) {
      if (part === 'fields') refuseChangingKey(key);
      rewriter.write(field, 'this[', key, '] = ');
    } else
      rewriter.output.write(
        key.type === 'Identifier' ? `this.${key.name} = ` : `this[${rewriter.source.slice(key.start, key.end)}] = `,
        field,
      );
    if (field.value) rewriter.write(field, field.value);
    else rewriter.output.write('undefined', field);
    rewriter.output.write('; ', field);
  }
  rewriter.output.write('}, ', { start: (fields.at(-1) as AnyNode).end, end: (fields.at(-1) as AnyNode).end });
  void id;
}

/** Whether there is `this`, and no call of `super` that makes it. */
function usesThisOnly(body: AnyNode): boolean {
  let [usesThis, callsSuper] = [false, false];
  walk(body, (node) => {
    usesThis ||= node.type === 'ThisExpression';
    callsSuper ||= node.type === 'CallExpression' && node.callee.type === 'Super';
  });
  return usesThis && !callsSuper;
}

/** It is worked out once, when the class is made, and here for each instance. */
function refuseChangingKey(key: AnyNode): void {
  walk(key, ({ type }) => {
    if (!changing.has(type)) return;
    throw new Refusal(
      'the name of a field that a call or an assignment works out is not supported: use a constant',
      key,
    );
  });
}

const changing = new Set([
  'CallExpression',
  'NewExpression',
  'AssignmentExpression',
  'UpdateExpression',
  'YieldExpression',
]);

/** `this` is a variable there, because with `extends` it is made in the middle. */
function writeConstructor(member: MethodDefinition, node: Class & AnyNode, id: string, rewriter: Rewriter): void {
  const value = member.value as FunctionNode;
  const { params, body } = value;
  if (body.type !== 'BlockStatement') return;
  if (node.superClass && usesThisOnly(body))
    throw new Refusal('the constructor of a class that extends another has to call super()', member);
  const [first] = params;
  const open = first?.start ?? body.start;
  const close = params.at(-1)?.end ?? body.start;
  const writeParameters = (): void => {
    let at = open;
    for (const param of params) {
      rewriter.output.copy(at, param.start);
      rewriter.write(value, param);
      at = param.end;
    }
    rewriter.output.copy(at, close);
  };
  const hasArguments = usesArguments(value);
  if (hasArguments) refuseAssignedParameters(value);
  rewriter.output.write('make: function (__ms_target', member);
  rewriter.classes.inConstructor(() => {
    rewriter.functions.writeConstructor(value, {
      head: () => {
        if (hasArguments) rewriter.output.write(', ...__ms_args', value);
        else if (first !== undefined) {
          rewriter.output.write(', ', value);
          writeParameters();
        }
        rewriter.output.write(') {', value);
      },
      start: () => {
        if (hasArguments && first !== undefined) {
          rewriter.output.write('let [', value);
          writeParameters();
          rewriter.output.write('] = __ms_args;', value);
        }
        const made = node.superClass ? '' : ` = ${rewriter.helper('instance')}(__ms_target, ${id})`;
        rewriter.output.write(`let __ms_this${made};`, body);
      },
    });
  });
  // The closing brace of the body stands there already.
  rewriter.output.write(', ', member);
}
