import { tsPlugin } from '@sveltejs/acorn-typescript';
import { Parser, type Node, type Options } from 'acorn';
import { Refusal } from './refusals.ts';
import { childrenOf, type AnyNode } from './syntax.ts';

/** Constructs of TypeScript that stand for values, so they cannot be left out. */
const refused: Record<string, string> = {
  TSEnumDeclaration: 'enum is not supported: use an object, const Color = { Red: 0, Blue: 1 }',
  TSModuleDeclaration: 'namespace is not supported: use an object',
  TSParameterProperty: 'a parameter cannot be a property: declare the field and assign it in the constructor',
  TSImportEqualsDeclaration: 'import is not supported: scripts have no modules',
  TSExportAssignment: 'export is not supported: scripts have no modules',
  Decorator: 'decorators are not supported: call the function yourself',
};

/** Declarations that are removed completely. A semicolon in their place separates the lines around them. */
const declarations = new Set(['TSInterfaceDeclaration', 'TSTypeAliasDeclaration', 'TSDeclareFunction']);
/** In `value as Type` and similar nodes, everything after the value is removed. */
const wrappers = new Set([
  'TSAsExpression',
  'TSSatisfiesExpression',
  'TSNonNullExpression',
  'TSInstantiationExpression',
]);
const memberTypes = new Set(['TSIndexSignature', 'TSAbstractMethodDefinition', 'TSAbstractPropertyDefinition']);

interface TypedNode extends Node {
  declare?: boolean;
  optional?: boolean;
  definite?: boolean;
  abstract?: boolean;
  name?: string;
  expression?: AnyNode;
  key?: AnyNode;
  value?: (AnyNode & { body?: unknown }) | null;
  static?: boolean;
  superClass?: AnyNode | null;
  body?: AnyNode;
  typeAnnotation?: AnyNode;
}

/** Made for the first script with types, because few scripts have any. */
let typeParser: typeof Parser | undefined;

/**
 * The script without its types. What belongs to TypeScript becomes spaces, so that every place stays the same.
 *
 * @throws {SyntaxError} for text that is not TypeScript either; {@link Refusal} for enums and similar constructs
 */
export function eraseTypes(source: string, options: Options): string {
  typeParser ??= Parser.extend(tsPlugin());
  const program = typeParser.parse(source, { ...options, sourceType: 'module', locations: true });
  const text = source.split('');
  const blank = (start: number, end: number, first = ' '): void => {
    for (let at = start; at < end; at++) if (text[at] !== '\n' && text[at] !== '\r') text[at] = ' ';
    if (first !== ' ' && start < end) text[start] = first;
  };
  visit(program, source, blank);
  return text.join('');
}

function visit(node: AnyNode, source: string, blank: (start: number, end: number, first?: string) => void): void {
  const typed = node as unknown as TypedNode;
  const { type, start, end } = typed;
  const why = refused[type];
  if (why !== undefined) throw new Refusal(why, node);
  if (declarations.has(type) || typed.declare === true) return blank(start, end, ';');
  if (memberTypes.has(type)) return blank(start, end);
  if (wrappers.has(type) && typed.expression !== undefined) {
    blank(typed.expression.end, end);
  } else if (type === 'TSTypeAssertion' && typed.expression !== undefined) {
    blank(start, typed.expression.start);
  } else if (type.startsWith('TS')) {
    if (type === 'TSEmptyBodyFunctionExpression') return;
    return blank(start, end);
  } else if (type === 'Identifier' && typed.name !== undefined) {
    blank(start + typed.name.length, end);
  } else if (type === 'PropertyDefinition' || type === 'MethodDefinition') {
    if (typed.value?.type === ('TSEmptyBodyFunctionExpression' as string)) return blank(start, end);
    blankModifiers(typed, source, blank);
  } else if ((type === 'ClassDeclaration' || type === 'ClassExpression') && typed.body !== undefined) {
    // `implements`, and the type arguments of the base class.
    const head = source.slice(start, typed.body.start);
    if (typed.superClass) blank(typed.superClass.end, typed.body.start);
    else {
      const at = head.search(/\bimplements\b/);
      if (at !== -1) blank(start + at, typed.body.start);
    }
    const abstract = /^abstract\s/.exec(head);
    if (abstract !== null) blank(start, start + abstract[0].length);
  }
  for (const child of childrenOf(node)) visit(child, source, blank);
}

function blankModifiers(
  { start, key, optional, definite }: TypedNode,
  source: string,
  blank: (start: number, end: number) => void,
): void {
  if (key === undefined) return;
  const head = source.slice(start, key.start);
  for (const { 0: word, index } of head.matchAll(/\b(?:public|private|protected|readonly|override|abstract)\b/g)) {
    blank(start + index, start + index + word.length);
  }
  if (optional === true || definite === true) {
    const mark = source.slice(key.end).search(/[?!]/);
    if (mark !== -1) blank(key.end + mark, key.end + mark + 1);
  }
}
