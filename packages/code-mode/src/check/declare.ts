import { builtins, installedBuiltins } from '@mustard-sandbox/client';
import type { InputSchema } from '@mustard-sandbox/runs';
import type { Entry } from '../entry.ts';
import { isObject, type Schema } from '../schema/schema.ts';

/** How many values are tried on the schema of one tool. */
const mostTried = 1_000;
const mostDepth = 3;
const mostFields = 60;

type Kind = 'string' | 'number' | 'boolean' | 'list' | 'object';

/** Values of different kinds, because a schema may accept one kind for another, such as a text for a number. */
const examples: Record<Kind, readonly unknown[]> = {
  string: ['', 'x', '1', 'true', '2020-01-01', '2020-01-01T00:00:00Z', 'a@example.com', 'https://example.com', '{}'],
  number: [0, 1, -1, 1.5, 1e12],
  boolean: [true, false],
  list: [[], ['x'], [1]],
  object: [{}],
};
const kinds = Object.keys(examples) as Kind[];

/** Globals of scripts that TypeScript's library of the language lacks, and functions that look tools up. */
const globals = [
  'describe_tool',
  'search_tools',
  'console',
  'structuredClone',
  'atob',
  'btoa',
  'TextEncoder',
  'TextDecoder',
  'URL',
  'URLSearchParams',
]
  .map((name) => `declare var ${name}: any;`)
  .join('\n');

/**
 * The tools in TypeScript, as permissive as the host. A type is declared only if the host's check refuses everything
 * else, which is tried out. Texts of an enumeration are declared as any text. The output of a tool is `any`, because
 * nobody checks it.
 */
export class Declarations {
  readonly #entries: readonly Entry[];
  readonly #types = new Map<string, Promise<string>>();

  constructor(entries: readonly Entry[]) {
    this.#entries = entries;
  }

  get namespaces(): string[] {
    return [...new Set(this.#entries.map(({ name }) => name.split('.', 1)[0] as string))];
  }

  /** The declarations for one script. Tools that it does not name take anything. */
  async of(script: string): Promise<string> {
    const spaces = new Map<string, string[]>();
    for (const entry of this.#entries) {
      const [space = '', name = ''] = entry.name.split('.', 2);
      const input = script.includes(name) ? await this.#inputOf(entry) : '...input: any[]';
      spaces.set(space, [...(spaces.get(space) ?? []), `${name}(${input}): Promise<any>;`]);
    }
    const tools = [...spaces].map(([space, members]) => `declare var ${space}: {\n${members.join('\n')}\n};`);
    const files = installedBuiltins().map((name) => builtins[name].declaration);
    return [globals, ...files, ...tools].join('\n');
  }

  #inputOf(entry: Entry): Promise<string> {
    const known = this.#types.get(entry.name) ?? inputOf(entry);
    this.#types.set(entry.name, known);
    return known;
  }
}

async function inputOf({ input, tool: { inputSchema } }: Entry): Promise<string> {
  if (inputSchema === undefined) return 'input?: any';
  const trial = new Trial(inputSchema);
  const type = await trial.typeOf(input, [], (value) => value, 0);
  return `input${(await trial.refuses(undefined, [])) ? '' : '?'}: ${type}`;
}

type Build = (value: unknown) => unknown;

/** Tries values on the check of one tool. A value that is not tried counts as accepted. */
class Trial {
  readonly #schema: InputSchema;
  #left = mostTried;

  constructor(schema: InputSchema) {
    this.#schema = schema;
  }

  /** @param build puts a value at its place in an input */
  async typeOf(schema: unknown, path: readonly string[], build: Build, depth: number): Promise<string> {
    if (!isObject(schema) || depth > mostDepth) return 'any';
    const types: string[] = [];
    for (const kind of kinds) {
      if (!(await this.#takes(kind, schema, path, build))) continue;
      types.push(kind === 'object' ? await this.#fields(schema, path, build, depth) : kind === 'list' ? 'any[]' : kind);
    }
    return types.length === 0 || types.length === kinds.length ? 'any' : types.join(' | ');
  }

  /** Whether a value is refused itself, and not because of a part of it. */
  async refuses(input: unknown, path: readonly string[]): Promise<boolean> {
    if (--this.#left < 0) return false;
    try {
      const { issues = [] } = await this.#schema['~standard'].validate(input);
      return issues.some(
        ({ path: at = [] }) => at.length === path.length && at.every((part, n) => keyOf(part) === path[n]),
      );
    } catch {
      return false;
    }
  }

  async #takes(kind: Kind, schema: Schema, path: readonly string[], build: Build): Promise<boolean> {
    if (mayBe(kind, schema)) return true;
    for (const example of examples[kind]) if (!(await this.refuses(build(example), path))) return true;
    return false;
  }

  async #fields(schema: Schema, path: readonly string[], build: Build, depth: number): Promise<string> {
    const { properties } = schema;
    const isOneForm = !['anyOf', 'oneOf', 'allOf', '$ref', 'patternProperties'].some((word) => word in schema);
    if (!isObject(properties) || !isOneForm) return 'Record<string, any>';
    const entries = Object.entries(properties);
    if (entries.length > mostFields) return 'Record<string, any>';
    const sample = Object.fromEntries(entries.map(([name, field]) => [name, sampleOf(field)]));
    const fields: string[] = [];
    for (const [name, field] of entries) {
      const at = [...path, name];
      const { [name]: _, ...others } = sample;
      const type = await this.typeOf(field, at, (value) => build({ ...others, [name]: value }), depth + 1);
      const isNeeded = await this.refuses(build(others), at);
      fields.push(`${JSON.stringify(name)}${isNeeded ? '' : '?'}: ${type}`);
    }
    const isClosed = await this.#isClosed(sample, path, build);
    return `{ ${[...fields, ...(isClosed ? [] : ['[key: string]: any'])].join('; ')} }`;
  }

  /** Whether an unknown field is refused. */
  async #isClosed(sample: object, path: readonly string[], build: Build): Promise<boolean> {
    const more = { ...sample, zz_unknown: 1 };
    const at = [...path, 'zz_unknown'];
    if (await this.refuses(build(more), at)) return true;
    return !(await this.refuses(build(sample), path)) && (await this.refuses(build(more), path));
  }
}

function keyOf(part: unknown): string {
  return String((part as { key?: unknown } | null)?.key ?? part);
}

/** Whether a schema accepts a kind of value, or does not say what it accepts. */
function mayBe(kind: Kind, schema: Schema): boolean {
  const { type, properties } = schema;
  const named: unknown[] = Array.isArray(type) ? type : [type];
  const words: Record<Kind, string[]> = {
    string: ['string'],
    number: ['number', 'integer'],
    boolean: ['boolean'],
    list: ['array'],
    object: ['object'],
  };
  if (named.some((word) => words[kind].includes(String(word)))) return true;
  if (type !== undefined) return false;
  const values = 'const' in schema ? [schema['const']] : schema['enum'];
  if (Array.isArray(values)) return values.some((value) => kindOf(value) === kind);
  return !isObject(properties) || kind === 'object';
}

function kindOf(value: unknown): Kind | undefined {
  if (Array.isArray(value)) return 'list';
  return isObject(value) ? 'object' : (kinds.find((kind) => kind === typeof value) ?? undefined);
}

/** A value that a schema most likely accepts. */
function sampleOf(schema: unknown, depth = 0): unknown {
  if (!isObject(schema) || depth > mostDepth) return 'x';
  const { type, properties, enum: some, default: usual } = schema;
  if (usual !== undefined) return usual;
  if ('const' in schema) return schema['const'];
  if (Array.isArray(some)) return some[0];
  switch (Array.isArray(type) ? (type as unknown[])[0] : type) {
    case 'number':
    case 'integer':
      return schema['minimum'] ?? 1;
    case 'boolean':
      return true;
    case 'array':
      return [];
    case 'object': {
      const fields = Object.entries(isObject(properties) ? properties : {}).slice(0, mostFields);
      return Object.fromEntries(fields.map(([name, field]) => [name, sampleOf(field, depth + 1)]));
    }
    default:
      return 'x';
  }
}
