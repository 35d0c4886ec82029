import * as z from 'zod/mini';
import { maxValueBytes, quote, type SandboxError, type SandboxValue } from '@mustard-sandbox/protocol';
import { BuiltinCall } from '../call.ts';
import type { BuiltinContext } from '../context.ts';
import { parseOptions } from '../options.ts';
import { openSource } from '../source/source.ts';
import { Finder } from './finder.ts';
import { Outline } from './outline.ts';
import { parsePath, type Segment } from './path.ts';
import { JsonError, JsonScanner, type Visitor } from './scanner.ts';

const count = z.int().check(z.gte(0));

const optionsSchema = z.strictObject({
  pointer: z.optional(z.string().check(z.maxLength(10_000))),
  offset: z.optional(count),
  limit: z.optional(count),
});

/**
 * The values at a JSON Pointer or a simple JSONPath in a file. Without one, the shape of the file's value. The file is
 * scanned in pieces, and only the value that was asked for is held and parsed, by V8. Values that are passed over are
 * not checked.
 *
 * @throws {SandboxError} `limit_exceeded` for more than a value that crosses may hold, `script_error` when the value is
 *   missing or the file is not JSON, `invalid_request` for the options, and like `openSource`
 */
export function readJson(context: BuiltinContext, [path, given]: readonly unknown[]): SandboxValue {
  const call = new BuiltinCall('read_json', path);
  return call.run(() => {
    const { pointer, offset, limit } = parseOptions(optionsSchema, given, call);
    const bound = new Bound(call);
    const onHeld = (bytes: number, isKey: boolean): void => bound.held(bytes, isKey);
    if (pointer === undefined && offset === undefined && limit === undefined) {
      const outline = new Outline(onHeld);
      scan(context, path, outline, call);
      return outline.shape;
    }
    const segments = parsePath(pointer ?? '');
    if (segments === undefined) {
      const why =
        "pointer must be a JSON Pointer, as '/items/0/price', or a simple JSONPath, as '$.items[*].price', without " +
        "filters, slices and '..': { pointer: '/items', offset: 10, limit: 5 } takes a part of an array";
      throw call.invalid(`${call.name} options: ${why}`);
    }
    const finder = new Finder({ segments, offset, limit, onKept: (characters) => bound.kept(characters), onHeld });
    scan(context, path, finder, call);
    return valueOf(finder, segments, call);
  });
}

/** Bounds how much of a file is held, which is as much as the script can take. */
class Bound {
  readonly #call: BuiltinCall;
  #kept = 0;

  constructor(call: BuiltinCall) {
    this.#call = call;
  }

  kept(characters: number): void {
    this.#kept += characters;
    this.held(0, false);
  }

  /** This is in addition to what is kept. A value without an end must fail before all of it is held. */
  held(bytes: number, isKey: boolean): void {
    const total = this.#kept + bytes;
    if (total <= maxValueBytes) return;
    const why = isKey
      ? `${this.#call.shown} has a key of more than ${maxValueBytes} bytes, so it is no JSON that a script can read.`
      : `what the pointer leads to has more than ${maxValueBytes} bytes of JSON. Ask for less: a deeper pointer, ` +
        "{ offset, limit } for the items of an array, or one field of each item: '$.items[*].price'.";
    throw this.#call.limitExceeded('argument_bytes', maxValueBytes, total, why);
  }
}

function scan(context: BuiltinContext, path: unknown, visitor: Visitor, call: BuiltinCall): void {
  const scanner = new JsonScanner(visitor);
  using source = openSource(context, path, call);
  context.markRead(path);
  try {
    for (let piece; (piece = source.next()) !== undefined;) {
      scanner.push(piece);
      context.pace.check();
    }
    scanner.end();
  } catch (error) {
    throw error instanceof JsonError ? noJson(error, call) : error;
  }
}

function valueOf(finder: Finder, segments: readonly Segment[], call: BuiltinCall): SandboxValue {
  const { found } = finder;
  if (found === undefined) throw notThere(finder, segments, call);
  try {
    const values = found.texts.map((text) => JSON.parse(text) as SandboxValue);
    const value = found.isList ? values : values[0];
    if (value === undefined) throw notThere(finder, segments, call);
    assertFew(value, call);
    return value;
  } catch (error) {
    throw error instanceof SyntaxError ? noJson(new JsonError('the value found is broken', 0), call) : error;
  }
}

/** The engine fails with a value of 300,000 objects, which takes 300 MB there. 150,000 objects work. */
const maxContainers = 150_000;

function assertFew(value: SandboxValue, call: BuiltinCall): void {
  let count = 0;
  for (const open = [value]; open.length > 0;) {
    const next = open.pop();
    if (typeof next !== 'object' || next === null) continue;
    count++;
    for (const item of Object.values(next)) open.push(item);
  }
  if (count <= maxContainers) return;
  const why =
    `what the pointer leads to has ${count} objects and lists, and a script can take ${maxContainers}. ` +
    "Ask for less: { offset, limit } for some items of an array, or one field of each: '$.items[*].price'.";
  throw call.limitExceeded('value_items', maxContainers, count, why, 'items');
}

function noJson({ message, isMany }: JsonError, call: BuiltinCall): SandboxError {
  const instead = isMany
    ? " It is NDJSON, one value a line: query(sql, { t: { path, format: 'json' } }) reads it, or JSON.parse of each line."
    : '';
  return call.failed('NotJsonError', `${call.shown} is not one JSON value: ${message}.${instead}`);
}

function notThere(finder: Finder, segments: readonly Segment[], call: BuiltinCall): SandboxError {
  const { depth, keys } = finder.missed;
  const shown = (parts: readonly Segment[]): string =>
    `$${parts.map((part) => (typeof part === 'string' ? `[${quote(part)}]` : '[*]')).join('')}`;
  const at = segments.slice(0, Math.max(0, depth - 1));
  const there = keys.length === 0 ? 'an empty or simple value' : keys.map(quote).join(', ');
  return call.failed(
    'NotFoundError',
    `nothing is at ${shown(segments)} in ${call.shown}; at ${shown(at)} there is: ${there}. read_json(path) gives the shape.`,
  );
}
