import type { Literal, Program } from 'acorn';
import { findAsyncNames, noAsyncNames, type AsyncNames } from './async-names.ts';
import { findBuilders } from './builders.ts';
import { findFixedRegexes } from './fixed-regexes.ts';
import { findFixedTexts, type FixedText } from './fixed-texts.ts';
import { bitwiseAssignments, isGivenNumber, isStep, NumericNames } from './numbers.ts';
import { hasYield } from './rules/generators/steps/yields.ts';
import { mayBeEmpty } from './patterns.ts';
import { isLibraryValue } from './rules/library-names.ts';
import { mayReorderMaps } from './rules/map-order.ts';
import { isV8Regex } from './rules/regex.ts';
import { isBuiltinName } from '../protocol/builtins.ts';
import { bindingNames, unwrap, isFunction, isReference, memberName, walk, type AnyNode } from './syntax.ts';

/** What the rules ask about a script as a whole, gathered in one pass. */
export interface Facts {
  /** Names that stand for variables somewhere. */
  references: ReadonlySet<string>;
  /** Names that stand after a dot, or as a text in brackets. */
  members: ReadonlySet<string>;
  /** Names of properties that the script itself gives to objects. */
  ownMembers: ReadonlySet<string>;
  /** Names that the script declares, in any scope. */
  declared: ReadonlySet<string>;
  /** Names that the script declares outside of all functions and blocks. */
  topLevel: ReadonlySet<string>;
  /** There is `object[expression]`, which may name anything. */
  hasComputedMembers: boolean;
  /** Some function mentions a capability, or one is passed on: a callback may suspend the engine. */
  suspendsInCallback: boolean;
  /** There is a `return` outside of all functions that is not the last statement. */
  hasEarlyReturn: boolean;
  /** There is `await` or an `async` function, so a capability call may give a promise. */
  isAsync: boolean;
  asyncNames: AsyncNames;
  /** There is a regular expression. */
  hasRegexes: boolean;
  /** A regular expression may be one that V8 runs. */
  hasV8Regexes: boolean;
  hasLoop: boolean;
  /** `Promise.race` or `any` over calls of the host: the script may end before they do. */
  mayLeaveCalls: boolean;
  /** Names of functions of the host that the script may call. */
  hostFunctions: ReadonlySet<string>;
  /** Names of built-ins that the script may call and does not hide by variables of its own. */
  builtins: ReadonlySet<string>;
  hasGenerators: boolean;
  /** Names of methods that the script defines: what has them may not be a list. */
  ownMethods: ReadonlySet<string>;
  /** There is an async generator, `Symbol.asyncIterator`, or a loop with `await` in a script with generators. */
  hasAsyncIterators: boolean;
  /** An iterator may be asked for its values one by one, or a generator has to be able to stop by itself. */
  stepsIterators: boolean;
  /** There is a class, or `new` of a function of the script. */
  hasOwnConstructors: boolean;
  /** Names of methods and accessors of classes; `constructor` among them where there is a class. */
  classMembers: ReadonlySet<string>;
  /** Names that only ever stand for numbers. */
  numeric: ReadonlySet<string>;
  /** Those of them that never stand for the `length` of what may have none. */
  given: ReadonlySet<string>;
  /** Names that only ever stand for whole numbers of an ordinary size. */
  indices: ReadonlySet<string>;
  /** An object has a getter or a setter of its own. */
  hasAccessors: boolean;
  /** Names of texts that are built piece by piece. */
  builders: ReadonlySet<string>;
  /** Texts that stay the same, and are read by position in loops. */
  fixedTexts: ReadonlyMap<string, FixedText>;
  /** Regular expressions that stand in a constant of a name that nothing else has. */
  fixedRegexes: ReadonlyMap<string, Literal>;
  /** Lines are read, and what V8 is asked of them by a regular expression is asked ahead. */
  asksAhead: boolean;
  /** There is `--`, `-=` or a number below 0: a counter may be one. */
  countsDown: boolean;
  /** A Map may get a key after it lost one. */
  reordersMaps: boolean;
  /** There is a BigInt in the source, or what makes one. */
  hasBigInts: boolean;
  /** Objects of the library, such as `Math`, that a variable or a parameter may stand for. */
  libraryValues: ReadonlySet<string>;
  /** `Math` or `Number` may be another one than it was. */
  changesGlobals: boolean;
  /** A function may see an argument that it has no parameter for: by `...rest`, `arguments`, or behind a default. */
  hasOpenParameters: boolean;
  /** Some object defines `toString`, `valueOf` or `Symbol.toPrimitive`. */
  hasOwnCoercion: boolean;
  /** Objects with a field `name` or `message`, or regular expressions that V8 runs, may be about. */
  hasNamedObjects: boolean;
}

const coercionNames = new Set(['toString', 'valueOf', 'toPrimitive']);

/** @param isSequential the script means the same without `await`, and has no `async` any more */
export function factsOf(program: Program, capabilities: ReadonlySet<string>, isSequential = false): Facts {
  const references = new Set<string>();
  const members = new Set<string>();
  const ownMembers = new Set<string>();
  const declared = new Set<string>();
  const topLevel = new Set<string>();
  const classMembers = new Set<string>();
  const ownMethods = new Set<string>();
  const constructed = new Set<string>();
  const called = new Set<string>();
  const suspending = new Set<string>();
  const loopedOver = new Set<AnyNode>();
  let hasLinesElsewhere = false;
  const builtins = new Set<string>();
  const libraryValues = new Set<string>();
  const facts: Facts = {
    classMembers,
    ownMethods,
    hasOwnConstructors: false,
    hasV8Regexes: false,
    hasRegexes: false,
    hasLoop: false,
    mayLeaveCalls: false,
    hostFunctions: new Set(
      [...capabilities].filter((name) => !isBuiltinName(name) && !name.includes('.') && !name.startsWith('__ms_')),
    ),
    builtins,
    hasGenerators: false,
    hasAsyncIterators: false,
    stepsIterators: false,
    references,
    members,
    ownMembers,
    declared,
    topLevel,
    hasComputedMembers: false,
    suspendsInCallback: false,
    hasEarlyReturn: false,
    isAsync: false,
    asyncNames: noAsyncNames,
    hasOwnCoercion: false,
    hasNamedObjects: false,
    numeric: new Set(),
    given: new Set(),
    indices: new Set(),
    countsDown: false,
    builders: new Set(),
    fixedTexts: new Map(),
    asksAhead: false,
    fixedRegexes: new Map(),
    hasAccessors: false,
    hasOpenParameters: false,
    reordersMaps: false,
    hasBigInts: false,
    libraryValues,
    changesGlobals: false,
  };
  let functionEnd = -1;
  let asksForLocale = false;
  let addsInTurns = false;
  let findsNothing = false;
  const numbers = new NumericNames();
  const givenNumbers = new NumericNames(isGivenNumber);
  const indices = new NumericNames(isStep, bitwiseAssignments);
  walk(program, (node, parent) => {
    numbers.look(node, parent);
    givenNumbers.look(node, parent);
    indices.look(node, parent);
    if (isFunction(node) && node.params.some(({ type }) => type === 'RestElement' || type === 'AssignmentPattern'))
      facts.hasOpenParameters = true;
    facts.hasV8Regexes ||= isV8Regex(node);
    facts.hasRegexes ||= node.type === 'Literal' && 'regex' in node;
    findsNothing ||= isGlobalAndEmpty(node);
    facts.hasBigInts ||= node.type === 'Literal' ? typeof node.bigint === 'string' : isBigIntName(node);
    if (isFunction(node)) {
      functionEnd = Math.max(functionEnd, node.end);
      facts.isAsync ||= node.async;
      facts.hasGenerators ||= node.generator;
      facts.hasAsyncIterators ||= node.async && node.generator;
      for (const param of node.params) bindingNames(param, declared);
    }
    facts.countsDown ||=
      'operator' in node &&
      (['--', '-='].includes(node.operator) || (node.type === 'UnaryExpression' && node.operator === '-'));
    switch (node.type) {
      case 'AwaitExpression':
        facts.isAsync = true;
        break;
      case 'ForOfStatement':
        facts.isAsync ||= node.await;
        facts.hasAsyncIterators ||= node.await;
        loopedOver.add(calleeOf(node.right));
        break;
      case 'Identifier':
        if (!isReference(node, parent)) break;
        references.add(node.name);
        facts.changesGlobals ||= isGivenAway(node, parent);
        if (isLibraryValue(node, parent)) libraryValues.add(node.name);
        if (parent?.type === 'CallExpression' && parent.callee === node) called.add(node.name);
        if (node.name === 'lines' && !loopedOver.has(node)) hasLinesElsewhere = true;
        if (
          capabilities.has(node.name) &&
          (node.start < functionEnd || !(parent?.type === 'CallExpression' && parent.callee === node))
        ) {
          suspending.add(node.name);
        }
        break;
      case 'MemberExpression': {
        const name = memberName(node);
        if (name !== undefined) members.add(name);
        else facts.hasComputedMembers = true;
        if (node.object.type === 'Identifier' && node.object.name === 'Symbol') {
          facts.hasGenerators ||= name === 'iterator' || name === 'asyncIterator';
          facts.hasAsyncIterators ||= name === 'asyncIterator';
        }
        // `console.log` is a capability as well.
        facts.suspendsInCallback ||=
          node.object.type === 'Identifier' &&
          capabilities.has(`${node.object.name}.${name}`) &&
          (node.start < functionEnd || !(parent?.type === 'CallExpression' && parent.callee === node));
        break;
      }
      case 'CallExpression': {
        const { callee } = node;
        const name = callee.type === 'MemberExpression' ? memberName(callee) : undefined;
        facts.stepsIterators ||= name !== undefined && iteratorMethods.has(name);
        asksForLocale ||=
          node.arguments.length > 0 && name !== undefined && /^toLocale(?:Date|Time)?String$/.test(name);
        break;
      }
      case 'ReturnStatement':
        facts.hasEarlyReturn ||= node.start >= functionEnd && !(parent === program && program.body.at(-1) === node);
        break;
      case 'Property':
        addKey(node, ownMembers);
        if (node.kind !== 'init') {
          facts.hasAccessors = true;
          if (node.key.type === 'Identifier') classMembers.add(node.key.name);
          else if (node.key.type === 'Literal') classMembers.add(String(node.key.value));
        }
        if (node.key.type === 'Identifier' && !node.computed) members.add(node.key.name);
        if (isFunction(node.value) && node.key.type === 'Identifier') ownMethods.add(node.key.name);
        if (node.key.type === 'Identifier' && coercionNames.has(node.key.name)) facts.hasOwnCoercion = true;
        break;
      case 'NewExpression':
        if (node.callee.type === 'Identifier') constructed.add(node.callee.name);
        break;
      case 'WhileStatement':
      case 'ForStatement':
      case 'DoWhileStatement':
        facts.hasLoop = true;
        break;
      case 'PropertyDefinition':
        addKey(node, ownMembers);
        // Classes that extend this one have it as well.
        if (node.static && node.key.type === 'Identifier') classMembers.add(node.key.name);
        break;
      case 'ClassBody':
        classMembers.add('constructor');
        break;
      case 'YieldExpression':
        // The value that `yield*` has.
        facts.stepsIterators ||= node.delegate && parent?.type !== 'ExpressionStatement';
        break;
      case 'TryStatement':
        // A loop that ends early would have to go on with it.
        facts.stepsIterators ||= Boolean(node.finalizer && hasYield(node.finalizer));
        break;
      case 'MethodDefinition':
        if (node.key.type === 'Identifier') ownMethods.add(node.key.name);
        addKey(node, ownMembers);
        if (node.kind !== 'constructor' && node.key.type === 'Identifier') classMembers.add(node.key.name);
        if (node.key.type === 'Identifier' && coercionNames.has(node.key.name)) facts.hasOwnCoercion = true;
        break;
      case 'AssignmentExpression': {
        const { left } = node;
        facts.changesGlobals ||=
          left.type === 'MemberExpression' && left.object.type === 'Identifier' && left.object.name === 'Math';
        addsInTurns ||= node.operator === '+=' && left.type === 'Identifier';
        if (left.type === 'MemberExpression') ownMembers.add(memberName(left) ?? '');
        if (left.type === 'MemberExpression' && coercionNames.has(memberName(left) ?? '')) facts.hasOwnCoercion = true;
        break;
      }
      case 'VariableDeclaration':
        for (const { id } of node.declarations) bindingNames(id, declared);
        if (parent?.type === 'Program') for (const { id } of node.declarations) bindingNames(id, topLevel);
        break;
      case 'FunctionDeclaration':
      case 'ClassDeclaration':
        if (node.id !== null) declared.add(node.id.name);
        if (node.id !== null && parent?.type === 'Program') topLevel.add(node.id.name);
        break;
      case 'CatchClause':
        if (node.param) bindingNames(node.param, declared);
        break;
      default:
    }
  });
  // By whatever way it came there.
  if (ownMembers.has('then')) ownMethods.add('then');
  facts.reordersMaps = mayReorderMaps(facts);
  for (const name of libraryValues) if (declared.has(name)) libraryValues.delete(name);
  facts.numeric = numbers.found();
  facts.given = givenNumbers.found();
  if (addsInTurns) facts.builders = findBuilders(program);
  facts.indices = indices.found();
  if (facts.hasRegexes) facts.fixedRegexes = findFixedRegexes(program);
  if (facts.hasLoop || loopedOver.size > 0) facts.fixedTexts = findFixedTexts(program);
  // `lines` and `search` are common names of variables: one that is never called is no call of a capability.
  const isHidden = (name: string): boolean => topLevel.has(name) || (declared.has(name) && !called.has(name));
  for (const name of capabilities)
    if (isBuiltinName(name) && references.has(name) && !isHidden(name)) builtins.add(name);
  facts.suspendsInCallback ||= [...suspending].some((name) => !isHidden(name));
  if (isSequential) facts.isAsync = false;
  if (facts.isAsync) facts.asyncNames = findAsyncNames(program);
  facts.hasGenerators ||= builtins.has('lines') && hasLinesElsewhere && !facts.isAsync;
  facts.hasAsyncIterators &&= facts.hasGenerators;
  // A loop that waits asks for the values of any other one by one.
  facts.stepsIterators ||= facts.hasAsyncIterators;
  facts.mayLeaveCalls = facts.isAsync && facts.hostFunctions.size > 0 && (members.has('race') || members.has('any'));
  // What V8 is asked for suspends the engine as well.
  const asksV8 =
    asksForLocale ||
    ['Date', 'Intl', 'parseInt', 'JSON', 'TextDecoder', 'TextEncoder', 'atob'].some((name) => references.has(name)) ||
    members.has('sort') ||
    members.has('toSorted') ||
    members.has('fromBase64');
  // All matches of such a pattern are looked for by V8.
  const findsInV8 = findsNothing && (members.has('matchAll') || members.has('exec'));
  facts.suspendsInCallback ||= !facts.isAsync && (facts.hasV8Regexes || asksV8 || findsInV8);
  facts.asksAhead = builtins.has('lines') && !facts.isAsync && facts.hasV8Regexes;
  facts.hasNamedObjects =
    facts.hasV8Regexes ||
    ['name', 'message'].some((name) => members.has(name)) ||
    // The engine adds it to the text of an error.
    (members.has('code') && [...references].some((name) => name.endsWith('Error'))) ||
    ['JSON', 'fetch', ...facts.hostFunctions].some((name) => references.has(name));
  if ([...constructed].some((name) => declared.has(name))) classMembers.add('constructor');
  facts.hasOwnConstructors = classMembers.size > 0;
  return facts;
}

const iteratorMethods = new Set(['next', 'return', 'throw']);

function addKey({ key, computed }: { key: AnyNode; computed: boolean }, names: Set<string>): void {
  if (key.type === 'Identifier' && !computed) names.add(key.name);
  else if (key.type === 'Literal') names.add(String(key.value));
}

/** What is called in `f(x)` and `await f(x)`; else the node itself. */
function calleeOf(node: AnyNode): AnyNode {
  const inner = unwrap(node);
  const call = inner.type === 'AwaitExpression' ? unwrap(inner.argument) : inner;
  return call.type === 'CallExpression' ? call.callee : call;
}

/** Whether it is used in another way than by its functions, such as `Math.round(n)` and `list.map(Number)`. */
function isGivenAway(node: AnyNode & { type: 'Identifier' }, parent: AnyNode | undefined): boolean {
  if (node.name === 'Number') return parent?.type === 'AssignmentExpression' && parent.left === node;
  if (node.name !== 'Math') return node.name === 'globalThis';
  return parent?.type !== 'MemberExpression' || parent.object !== node;
}

function isGlobalAndEmpty(node: AnyNode): boolean {
  if (node.type !== 'Literal' || !('regex' in node) || !node.regex?.flags.includes('g')) return false;
  return mayBeEmpty(node.regex.pattern, node.regex.flags);
}

function isBigIntName(node: AnyNode): boolean {
  return node.type === 'Identifier' && node.name === 'BigInt';
}
