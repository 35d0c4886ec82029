// docs/reference/protocol.md: the prose is in protocol.template.md, facts come from the schemas, the sources' docstrings
// and a real session.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fenced, fill, inProse, table } from './markdown.mjs';
import { humanSize, schemaTable, undocumentedFields } from './schema-table.mjs';
import { readSchemaSource } from './schema-source.mjs';
import { recordScenes } from './session.mjs';
import { importSource, loadModule, root } from './source.mjs';

const ground = join(root, 'packages/protocol/src');
const methods = loadModule(join(ground, 'methods.ts'));
const scope = loadModule(join(ground, 'messages/scope.ts'));
const errors = loadModule(join(ground, 'errors.ts'));
const limits = loadModule(join(ground, 'limits.ts'));
const server = loadModule(join(root, 'packages/sandbox-daemon/src/server/server.ts'));

/** Schemas with a section of their own. */
const sections = {
  wireValueSchema: '[value](#values)',
  scopeSchema: '[scope](#scope)',
  limitsSchema: '[limits](#limits)',
};
const link = (name) => sections[name];

/** @returns {Promise<string>} the page, as Markdown */
export async function protocolPage() {
  const protocol = await importSource(join(ground, 'index.ts'));
  const { exitCodes } = await importSource(server.path);
  const scenes = await recordScenes(protocol.protocolVersion);
  const template = readFileSync(new URL('protocol.template.md', import.meta.url), 'utf8');
  return fill(template, {
    ...facts(protocol),
    requests: requestSections(protocol, scenes),
    notifications: notificationSections(protocol),
    scope: schemaTable(protocol.scopeSchema, schemaSource(scope, 'scopeSchema'), { link }),
    'built-ins': builtinTable(protocol),
    limits: limitsTable(protocol),
    'error codes': errorTable(protocol),
    'error details': interfaceTable('ErrorDetails'),
    location: interfaceTable('SourceLocation'),
    'exit codes': exitCodeTable(exitCodes),
    values: table(
      ['script', 'value on the wire'],
      scenes.values.map((row) => row.map((cell) => `\`${cell}\``)),
    ),
    'first frame': fenced('', framed(scenes.initialize[0].message)),
    'example: cancel': example(scenes['$/cancelRequest']),
    'example: another version': example(scenes['another version']),
    'example: a script that throws': example(scenes['a script that throws']),
    'example: an unknown field': example(scenes['an unknown field']),
    'example: a host function that fails': example(scenes['a host function that fails']),
    'example: two runs at once': example(scenes['two runs at once']),
  });
}

/** @returns {Promise<string[]>} fields of the protocol that no docstring explains */
export async function undocumentedProtocol() {
  const protocol = await importSource(join(ground, 'index.ts'));
  const missing = (what, schema, source) => undocumentedFields(schema, source, link).map((field) => `${what} ${field}`);
  const requests = schemaSource(methods, 'requests');
  const notifications = schemaSource(methods, 'notifications');
  return [
    ...Object.entries(protocol.requests).flatMap(([name, { params, result }]) => [
      ...missing(name, params, fieldOf(fieldOf(requests, name), 'params')),
      ...missing(name, result, fieldOf(fieldOf(requests, name), 'result')),
    ]),
    ...Object.entries(protocol.notifications).flatMap(([name, params]) =>
      missing(name, params, notifications.fields.get(name)),
    ),
    ...missing('scope', protocol.scopeSchema, schemaSource(scope, 'scopeSchema')),
    ...missing('limits', protocol.limitsSchema, schemaSource(limits, 'limitsSchema')),
  ];
}

function schemaSource(module, name) {
  return readSchemaSource(module, module.resolve(name).node.init);
}

/** @param {import('./schema-source.mjs').SchemaSource} source @param {string} name */
function fieldOf(source, name) {
  const field = source.fields.get(name);
  if (field === undefined) throw new Error(`The sources have no '${name}' where the schema has it.`);
  return field;
}

/** What the docstring of a field says. @param {import('./schema-source.mjs').SchemaSource} source @param {string} name */
function docOf(source, name) {
  const { doc } = fieldOf(source, name);
  if (doc === undefined) throw new Error(`'${name}' has no docstring.`);
  return inProse(doc.text);
}

/** Numbers that the prose names. */
function facts(protocol) {
  const bytes = (number) => {
    const size = humanSize(number);
    return `${number.toLocaleString('en-US')} bytes${size === '' ? '' : ` (${size})`}`;
  };
  return {
    'protocol version': String(protocol.protocolVersion),
    'frame bytes': bytes(protocol.maxFrameBytes),
    'header bytes': bytes(protocol.maxHeaderBytes),
    'value bytes': bytes(protocol.maxValueBytes),
    'value depth': String(protocol.maxValueDepth),
    'array length': protocol.maxArrayLength.toLocaleString('en-US'),
    'console line': protocol.maxConsoleCharacters.toLocaleString('en-US'),
    'console run': protocol.maxConsoleRunCharacters.toLocaleString('en-US'),
    'builtin timeout': String(protocol.builtinCallTimeoutMs),
    overrun: protocol.overrunMessage,
    identifier: `\`${protocol.identifierPattern.source}\``,
  };
}

function requestSections(protocol, scenes) {
  const source = schemaSource(methods, 'requests');
  const texts = Object.entries(protocol.requests).map(([name, { params, result }]) => {
    const method = fieldOf(source, name);
    const { direction, text } = introduction(name, method.doc);
    const fromSidecar = direction === 'sidecar → client';
    return [
      `### ${name}`,
      `_${direction}._ ${text}`,
      '**Params**',
      schemaTable(params, fieldOf(method, 'params'), { link, output: fromSidecar }),
      '**Result**',
      schemaTable(result, fieldOf(method, 'result'), { link, output: !fromSidecar }),
      ...(scenes[name] === undefined ? [] : [example(scenes[name])]),
    ].join('\n\n');
  });
  return texts.join('\n\n');
}

function notificationSections(protocol) {
  const source = schemaSource(methods, 'notifications');
  const texts = Object.entries(protocol.notifications).map(([name, params]) => {
    const from = fieldOf(source, name);
    const { direction, text } = introduction(name, from.doc);
    const fields = schemaTable(params, from, { link, output: direction === 'sidecar → client' });
    return [`### ${name}`, `_${direction}._ ${text}`, '**Params**', fields].join('\n\n');
  });
  return texts.join('\n\n');
}

/** Each method's docstring begins with its direction. */
function introduction(name, doc) {
  const [, direction, text] = /^(client → sidecar|sidecar → client)\. (.+)$/s.exec(doc?.text ?? '') ?? [];
  if (direction === undefined) throw new Error(`The docstring of ${name} in methods.ts must begin with its direction.`);
  return { direction, text: inProse(text) };
}

function builtinTable({ builtins }) {
  const rows = Object.values(builtins).map(({ declaration, summary }) => [
    `\`${declaration.replace(/^declare function /, '').replace(/;$/, '')}\``,
    summary,
  ]);
  return table(['call', 'gives'], rows);
}

function limitsTable({ limitTable }) {
  const docs = schemaSource(limits, 'limitTable');
  const size = (number) =>
    [number.toLocaleString('en-US'), humanSize(number)].filter((text) => text !== '').join(' = ');
  const rows = Object.entries(limitTable).map(([option, { default: usual, ceiling, unit, name }]) => [
    `\`${option}\``,
    size(usual),
    size(ceiling),
    unit,
    `\`${name}\``,
    docOf(docs, option),
  ]);
  return table(['field', 'default', 'at most', 'unit', 'in `details.limit`', 'meaning'], rows);
}

function errorTable({ errorNumbers }) {
  const docs = schemaSource(errors, 'errorNumbers');
  const rows = Object.entries(errorNumbers).map(([code, number]) => [String(number), `\`${code}\``, docOf(docs, code)]);
  return table(['number', 'code', 'meaning'], rows);
}

/** The documented members of an interface in errors.ts. */
function interfaceTable(name) {
  const members = errors.resolve(name).node.body.body.filter(({ type }) => type === 'TSPropertySignature');
  const rows = members.map((member) => [
    `\`${member.key.name}\``,
    errors
      .source(member.typeAnnotation.typeAnnotation)
      .replace(' | undefined', '')
      .replace('SourceLocation', '[location](#location)'),
    inProse(errors.docOf(member).text),
  ]);
  return table(['field', 'type', 'meaning'], rows);
}

function exitCodeTable(exitCodes) {
  const docs = schemaSource(server, 'exitCodes');
  const rows = Object.entries(exitCodes).map(([name, code]) => [String(code), docOf(docs, name)]);
  return table(['exit code', 'meaning'], [['0', 'After `exit`, or after the end of stdin.'], ...rows]);
}

function framed(message) {
  const body = JSON.stringify(message);
  return `Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`.replaceAll('\r', '');
}

/** Messages without their headers; prettier breaks the long ones. */
function example(scene) {
  return scene
    .map(({ from, message }) => {
      const direction = from === 'client' ? 'client → sidecar' : 'sidecar → client';
      return `_${direction}_\n\n${fenced('json', JSON.stringify(message))}`;
    })
    .join('\n\n');
}
