// What the source says about a schema beyond what the schema itself can: the docstring of each field, and the names of
// the constants it is made of.

/**
 * @typedef {object} SchemaSource
 * @property {{ text: string, tags: [string, string][] } | undefined} doc
 * @property {string | undefined} name of the constant that holds the schema
 * @property {string | undefined} type as TypeScript writes it, where the schema is a custom check
 * @property {Map<string, SchemaSource>} fields
 */

/**
 * Follows an expression such as `z.optional(z.array(itemSchema))` to the object literal with the fields. What wraps a
 * schema is looked through: it takes the schema as its first argument, or is a method of it.
 *
 * @returns {SchemaSource}
 */
export function readSchemaSource(module, node) {
  switch (node?.type) {
    case 'ObjectExpression':
      return { ...nothing, fields: new Map(node.properties.flatMap((property) => readProperty(module, property))) };
    case 'ArrayExpression':
      return merged(node.elements.map((element) => readSchemaSource(module, element)));
    case 'Identifier':
      return readConstant(module, node.name);
    case 'MemberExpression':
      return readSchemaSource(module, node.object).fields.get(node.property.name ?? node.property.value) ?? nothing;
    case 'TSAsExpression':
    case 'TSSatisfiesExpression':
      return readSchemaSource(module, node.expression);
    case 'CallExpression':
      return readCall(module, node);
    default:
      return nothing;
  }
}

const nothing = { doc: undefined, name: undefined, type: undefined, fields: new Map() };

function readProperty(module, property) {
  if (property.type === 'SpreadElement') return [...readSchemaSource(module, property.argument).fields];
  const value = readSchemaSource(module, property.value);
  const name = property.key.name ?? property.key.value;
  return [[name, { ...value, doc: module.docOf(property) ?? value.doc }]];
}

function readConstant(module, name) {
  const declaration = module.resolve(name);
  if (declaration?.node.init === undefined) return nothing;
  const value = readSchemaSource(declaration.module, declaration.node.init);
  return { ...value, name, doc: declaration.doc ?? value.doc };
}

function readCall(module, { callee, arguments: args, typeArguments }) {
  if (callee.type === 'MemberExpression' && callee.object.name !== 'z') return readSchemaSource(module, callee.object);
  if (callee.property?.name === 'custom' && typeArguments) {
    return { ...nothing, type: module.source(typeArguments.params[0]) };
  }
  return readSchemaSource(module, args[0]);
}

/** A union has the fields of all its members. */
function merged(sources) {
  return { ...nothing, fields: new Map(sources.flatMap(({ fields }) => [...fields])) };
}
