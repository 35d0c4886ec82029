// One exported declaration as Markdown: what it looks like to who uses it, and its docstring.
import { fenced, inProse } from './markdown.mjs';
import { readSchemaSource } from './schema-source.mjs';
import { schemaTable, undocumentedFields } from './schema-table.mjs';

/** Declarations by what they are, in the order in which a page shows them. */
export const kinds = [
  'FunctionDeclaration',
  'ClassDeclaration',
  'TSInterfaceDeclaration',
  'TSTypeAliasDeclaration',
  'VariableDeclarator',
];

/** A constant with a longer value is told by its docstring alone. */
const shownLines = 50;

/**
 * @param declaration as `SourceModule` has it
 * @param site `load` imports a source file compiled, `link` gives a link to a declaration, `declarations` has all that are
 *   explained somewhere
 * @returns {Promise<{ text: string, undocumented: string[][] }>} with the paths, inside of it, of what has no docstring
 */
export async function describe(declaration, site) {
  const { doc } = declaration;
  const schema = await schemaOf(declaration, site);
  const code = schema === undefined ? withHelpers(declaration, site) : '';
  const parts = [
    code === '' ? '' : fenced('ts', code),
    inProse(doc?.text ?? ''),
    ...(doc?.tags ?? []).map(tagText),
    schema?.text ?? '',
    mentions(declaration, code, site),
  ];
  const undocumented = [...(doc === undefined ? [[]] : []), ...(schema?.undocumented ?? []).map((field) => [field])];
  return { text: parts.filter((part) => part !== '').join('\n\n'), undocumented };
}

/** The code, and that of the types it names which are not exported anywhere. */
function withHelpers(declaration, { declarations }) {
  const shown = [declaration];
  for (const { module, ...one } of shown) {
    for (const word of wordsOf(codeOf({ module, ...one }))) {
      const other = module.resolve(word);
      const isType = other?.node.type === 'TSInterfaceDeclaration' || other?.node.type === 'TSTypeAliasDeclaration';
      if (isType && !declarations.has(other) && !shown.includes(other)) shown.push(other);
    }
  }
  return shown.map((one) => readable(codeOf(one))).join('\n\n');
}

/** `name?: T | undefined` says the same twice to a reader. */
function readable(code) {
  return code.replaceAll(/(\?: [^;\n]+?) \| undefined;/g, '$1;');
}

function wordsOf(code) {
  return new Set(code.replaceAll(/\/\*[\s\S]*?\*\//g, '').match(/\b[A-Za-z_$][\w$]*\b/g));
}

function codeOf({ node, module }) {
  switch (node.type) {
    case 'FunctionDeclaration':
      return `${upToBody(module, node)};`;
    case 'ClassDeclaration':
      return classCode(module, node);
    case 'VariableDeclarator':
      return constantCode(module, node);
    default:
      return module.source(node);
  }
}

function upToBody(module, node) {
  return module.text.slice(node.start, (node.body ?? node.value?.body)?.start ?? node.end).trim();
}

/** What a class shows: no private members, no bodies, and nothing that only the language calls. */
function classCode(module, node) {
  const members = node.body.body.filter(
    (member) =>
      member.type !== 'StaticBlock' &&
      !/Private/.test(member.key.type) &&
      member.accessibility !== 'private' &&
      module.source(member.key) !== 'Symbol.hasInstance',
  );
  const lines = members.map((member) => {
    const comment = module.docComments.findLast(({ end }) => end <= member.start);
    const doc = comment && module.docOf(member) ? `${module.text.slice(comment.start, comment.end)}\n` : '';
    const code = member.type === 'PropertyDefinition' ? module.source(member) : `${upToBody(module, member)};`;
    return `${doc}${code.replaceAll(/\boverride /g, '')}`;
  });
  return `${upToBody(module, node)} {\n${lines.join('\n')}\n}`;
}

/** Data says something to a reader, a call that makes it does not. */
function constantCode(module, node) {
  const code = `const ${module.source(node)};`;
  return code.split('\n').length <= shownLines && !/\w\(/.test(code) ? code : '';
}

/**
 * The zod schema behind a type such as `z.input<typeof optionsSchema>`, or behind a constant that is one, as a table: it
 * knows the defaults and the bounds.
 */
async function schemaOf(declaration, site) {
  const constant = schemaConstant(declaration);
  if (constant === undefined) return undefined;
  const schema = (await site.load(constant.module.path))[constant.name];
  if (schema?._zod === undefined) return undefined;
  const link = (name) => typeOfSchema(name, constant.module, site);
  const type = constant.node === declaration.node ? link(constant.name) : undefined;
  if (type !== undefined) return { text: `The schema of ${type}.`, undocumented: [] };
  const source = readSchemaSource(constant.module, constant.node.init);
  const { typeAnnotation = declaration.node } = declaration.node;
  const output = declaration.module.source(typeAnnotation).startsWith('z.output');
  return {
    text: schemaTable(schema, source, { link, output }),
    undocumented: undocumentedFields(schema, source, link),
  };
}

function schemaConstant({ node, module, ...declaration }) {
  if (node.type === 'VariableDeclarator') return { node, module, ...declaration };
  if (node.type !== 'TSTypeAliasDeclaration') return undefined;
  const name = /^z\.(?:input|output|infer)<typeof (\w+)>$/.exec(module.source(node.typeAnnotation))?.[1];
  return name && module.resolve(name);
}

/** A link to the type that users know a schema by. */
function typeOfSchema(name, module, { declarations, link }) {
  const constant = module.resolve(name);
  for (const declaration of declarations.keys()) {
    if (declaration.node.type !== 'TSTypeAliasDeclaration') continue;
    const behind = schemaConstant(declaration);
    if (behind?.node === constant?.node) return link(declaration);
  }
  return undefined;
}

function tagText([tag, text]) {
  const prose = inProse(text);
  switch (tag) {
    case 'param':
      return `- ${prose.replace(/^(\w+)/, '`$1`:')}`;
    case 'returns':
      return `Returns ${prose}.`;
    case 'throws':
      return `Throws ${prose.replace(/^\{(\w+)\}/, '`$1`:')}.`;
    case 'example':
      return text;
    default:
      return '';
  }
}

/** Links to the other declarations that the code names. */
function mentions(declaration, code, { declarations, link }) {
  const words = wordsOf(code);
  const found = [...declarations.keys()].filter(({ name, node, module }) => {
    return (
      node !== declaration.node &&
      words.has(name) &&
      (module === declaration.module || declaration.module.resolve(name)?.node === node)
    );
  });
  return found.length === 0 ? '' : `See ${found.map(link).join(', ')}.`;
}
