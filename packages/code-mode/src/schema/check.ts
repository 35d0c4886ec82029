import { isDeepStrictEqual } from 'node:util';
import { quote } from '@mustard-sandbox/protocol';
import { isObject, resolveRef, type Schema } from './schema.ts';

/** A problem with one field. */
export interface Issue {
  message: string;
  path: (string | number)[];
}

/**
 * How many schemas are looked at for one value. Twenty small definitions that each name the next one twice make a
 * million. A validator without a count is busy with such a schema for hours.
 */
const mostSteps = 20_000;
const mostIssues = 5;

class TooMuch extends Error {}

/**
 * The problems of a value by a JSON Schema, in words for the author of the value. It refuses only what the schema
 * surely refuses. Patterns and formats are left to the tool, because a pattern can keep a regular expression busy for
 * ever. A check that takes too many steps is left to it too.
 */
export function issuesOf(schema: unknown, value: unknown): Issue[] {
  const checker = new Checker(schema);
  try {
    return checker.issues(schema, value, []).slice(0, mostIssues);
  } catch (error) {
    if (error instanceof TooMuch || error instanceof RangeError) return [];
    throw error;
  }
}

class Checker {
  readonly #root: unknown;
  #steps = mostSteps;

  constructor(root: unknown) {
    this.#root = root;
  }

  issues(given: unknown, value: unknown, path: Issue['path']): Issue[] {
    if (--this.#steps < 0) throw new TooMuch();
    const says = (message: string): Issue[] => [{ message, path }];
    if (given === false) return says('is not allowed here');
    if (!isObject(given)) return [];
    const { $ref: ref, const: only, enum: some, anyOf, oneOf, allOf } = given;
    if (typeof ref === 'string') return this.issues(resolveRef(this.#root, ref), value, path);
    if (value === null && given['nullable'] === true) return [];
    if ('const' in given && !isDeepStrictEqual(value, only)) return says(`must be ${shown(only)}`);
    if (Array.isArray(some) && !some.some((each) => isDeepStrictEqual(value, each))) {
      return says(`must be one of ${some.slice(0, 20).map(shown).join(', ')}, and is ${shown(value)}`);
    }
    const wrongType = problemOfType(given['type'], value);
    if (wrongType !== undefined) return says(wrongType);
    const all = Array.isArray(allOf) ? allOf.flatMap((each) => this.issues(each, value, path)) : [];
    return [...all, ...this.#choice(anyOf ?? oneOf, value, path), ...this.#parts(given, value, path)];
  }

  #choice(choice: unknown, value: unknown, path: Issue['path']): Issue[] {
    if (!Array.isArray(choice) || choice.length === 0) return [];
    let fewest: Issue[] | undefined;
    for (const each of choice) {
      const issues = this.issues(each, value, path);
      if (issues.length === 0) return [];
      // A problem deeper inside is nearer to what the author meant.
      if (fewest === undefined || depthOf(issues) > depthOf(fewest)) fewest = issues;
    }
    const [first] = fewest as [Issue];
    if (first.path.length > path.length) return fewest as Issue[];
    return [{ message: `fits none of its ${choice.length} forms; for one of them it ${first.message}`, path }];
  }

  #parts(schema: Schema, value: unknown, path: Issue['path']): Issue[] {
    if (Array.isArray(value))
      return [...bounds(schema, 'Items', value.length, path), ...this.#items(schema, value, path)];
    if (isObject(value)) return this.#fields(schema, value, path);
    if (typeof value === 'string') return bounds(schema, 'Length', [...value].length, path);
    return typeof value === 'number' ? range(schema, value, path) : [];
  }

  #items({ items, prefixItems }: Schema, value: unknown[], path: Issue['path']): Issue[] {
    const first = Array.isArray(prefixItems) ? prefixItems : [];
    return value.flatMap((item, index) =>
      this.issues(index < first.length ? first[index] : items, item, [...path, index]),
    );
  }

  #fields(schema: Schema, value: Schema, path: Issue['path']): Issue[] {
    const { required, additionalProperties: more, patternProperties } = schema;
    const properties = isObject(schema['properties']) ? schema['properties'] : {};
    const issues: Issue[] = [];
    for (const name of Array.isArray(required) ? required : []) {
      if (!Object.hasOwn(value, String(name))) issues.push({ message: 'is missing', path: [...path, String(name)] });
    }
    for (const [name, field] of Object.entries(value)) {
      const at = [...path, name];
      if (Object.hasOwn(properties, name)) issues.push(...this.issues(properties[name], field, at));
      else if (patternProperties === undefined && more === false)
        issues.push({ message: unknownField(properties), path: at });
      else if (patternProperties === undefined && isObject(more)) issues.push(...this.issues(more, field, at));
    }
    return issues;
  }
}

function unknownField(properties: Schema): string {
  const names = Object.keys(properties).slice(0, 20).map(quote).join(', ');
  return names === '' ? 'is not known, because there are no fields' : `is not known; the fields are ${names}`;
}

function depthOf([first]: readonly Issue[]): number {
  return first?.path.length ?? 0;
}

const articles: Record<string, string> = {
  string: 'a string',
  number: 'a number',
  integer: 'a whole number',
  boolean: 'true or false',
  null: 'null',
  array: 'a list',
  object: 'an object',
};

function problemOfType(type: unknown, value: unknown): string | undefined {
  const types = (Array.isArray(type) ? type : [type]).filter(
    (each): each is string => typeof each === 'string' && Object.hasOwn(articles, each),
  );
  if (types.length === 0 || types.some((each) => isOfType(each, value))) return undefined;
  return `must be ${types.map((each) => articles[each]).join(' or ')}, and is ${kindOf(value)}`;
}

function isOfType(type: string, value: unknown): boolean {
  if (type === 'integer') return Number.isInteger(value);
  if (type === 'array') return Array.isArray(value);
  if (type === 'object') return isObject(value);
  return type === 'null' ? value === null : typeof value === type;
}

function kindOf(value: unknown): string {
  if (value === undefined) return 'missing';
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return shown(value);
  return Array.isArray(value) ? 'a list' : value === null ? 'null' : 'an object';
}

function shown(value: unknown): string {
  if (typeof value === 'string') return quote(value);
  return JSON.stringify(value)?.slice(0, 100) ?? 'nothing';
}

const units = { Length: 'characters', Items: 'items' };

function bounds(schema: Schema, what: 'Length' | 'Items', actual: number, path: Issue['path']): Issue[] {
  const [least, most] = [schema[`min${what}`], schema[`max${what}`]];
  if (typeof least === 'number' && actual < least) {
    return [{ message: `must have at least ${least} ${units[what]}, and has ${actual}`, path }];
  }
  if (typeof most !== 'number' || actual <= most) return [];
  return [{ message: `must have at most ${most} ${units[what]}, and has ${actual}`, path }];
}

function range(schema: Schema, value: number, path: Issue['path']): Issue[] {
  const { minimum, maximum, exclusiveMinimum: over, exclusiveMaximum: under } = schema;
  if (typeof minimum === 'number' && value < minimum) return [{ message: `must be at least ${minimum}`, path }];
  if (typeof maximum === 'number' && value > maximum) return [{ message: `must be at most ${maximum}`, path }];
  if (typeof over === 'number' && value <= over) return [{ message: `must be more than ${over}`, path }];
  return typeof under === 'number' && value >= under ? [{ message: `must be less than ${under}`, path }] : [];
}
