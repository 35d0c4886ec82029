import { Buffer } from 'node:buffer';
import {
  assertFewItems,
  encodeLeaving,
  entriesOf,
  isHole,
  setOwn,
  specialOf,
  tag,
} from '@mustard-sandbox/protocol/sidecar';
import { type SandboxValue, type WireValue } from '@mustard-sandbox/protocol';
import type { Outcome } from '../interface.ts';

/**
 * The engine's value encodings. Values go in as a binary payload, so that a file chunk crosses as bytes without a
 * JavaScript string in between. They come out as tagged JSON, such as `{"Number":{"Finite":2}}`.
 */
const magic = Buffer.from('MSB\x01', 'latin1');
const kind = { inputs: 2, resume: 3 } as const;
const newline = 0x0a;
const carriageReturn = 0x0d;
const resumeTag = { value: 0, error: 1 } as const;
const valueTag = {
  undefined: 0,
  null: 1,
  hole: 2,
  false: 3,
  true: 4,
  string: 5,
  finite: 6,
  NaN: 7,
  Infinity: 8,
  '-Infinity': 9,
  '-0': 10,
  array: 11,
  object: 12,
} as const;

/** Payloads share a buffer, because each is used before the next one is made. A larger buffer is not kept. */
const keptBytes = 2 * 1024 * 1024;
let shared: Buffer = Buffer.allocUnsafe(64 * 1024);

/** @throws {SandboxError} `protocol_error` for tags that are malformed */
export function encodeInputs(inputs: WireValue | undefined): Buffer {
  const writer = new PayloadWriter(kind.inputs);
  if (inputs === undefined) writer.u32(0);
  else if ('json' in inputs) writer.entries(Object.entries(inputs.json as object), plainItem);
  else writer.entries(entriesOf(inputs.tagged as object), taggedItem);
  return writer.finish();
}

/** @throws {SandboxError} `protocol_error` for tags that are malformed */
export function encodeOutcome(outcome: Outcome): Buffer {
  const writer = new PayloadWriter(kind.resume);
  if ('error' in outcome) {
    const { name, message, code, details } = outcome.error;
    writer.u8(resumeTag.error);
    writer.string(name);
    writer.string(message);
    writer.u8(code === undefined ? 0 : 1);
    if (code !== undefined) writer.string(code);
    writer.u8(details === undefined ? 0 : 1);
    if (details !== undefined) plainItem(writer, details);
  } else {
    writer.u8(resumeTag.value);
    if ('text' in outcome) writer.text(outcome.text);
    else if ('lines' in outcome) writer.lines(outcome.lines);
    else if ('json' in outcome.value) plainItem(writer, outcome.value.json);
    else taggedItem(writer, outcome.value.tagged);
  }
  return writer.finish();
}

type WriteItem = (writer: PayloadWriter, item: unknown) => void;

/** Plain JSON. */
function plainItem(writer: PayloadWriter, item: unknown): void {
  if (item === null) writer.u8(valueTag.null);
  else if (typeof item === 'string') writer.stringValue(item);
  else if (typeof item === 'number') writer.number(item);
  else if (typeof item === 'boolean') writer.u8(item ? valueTag.true : valueTag.false);
  else if (Array.isArray(item)) writer.array(item, plainItem);
  else writer.object(Object.entries(item as object), plainItem);
}

/** JSON with the tags of the wire format. */
function taggedItem(writer: PayloadWriter, item: unknown): void {
  if (typeof item !== 'object' || item === null) plainItem(writer, item);
  else if (Array.isArray(item)) writer.array(item, taggedElement);
  else {
    const special = specialOf(item);
    if (special === undefined) writer.object(entriesOf(item), taggedItem);
    else writer.u8(valueTag[special]);
  }
}

function taggedElement(writer: PayloadWriter, item: unknown): void {
  if (isHole(item)) writer.u8(valueTag.hole);
  else taggedItem(writer, item);
}

class PayloadWriter {
  #buffer = shared;
  #offset = 0;

  constructor(payloadKind: number) {
    this.bytes(magic);
    this.u8(payloadKind);
  }

  u8(value: number): void {
    this.#reserve(1);
    this.#buffer[this.#offset++] = value;
  }

  u32(value: number): void {
    this.#reserve(4);
    this.#offset = this.#buffer.writeUInt32LE(value, this.#offset);
  }

  number(value: number): void {
    if (Object.is(value, -0)) return this.u8(valueTag['-0']);
    // JSON can also say infinity, as 1e999.
    if (!Number.isFinite(value)) return this.u8(valueTag[String(value) as 'NaN' | 'Infinity' | '-Infinity']);
    this.u8(valueTag.finite);
    this.#reserve(8);
    this.#offset = this.#buffer.writeDoubleLE(value, this.#offset);
  }

  bytes(value: Buffer): void {
    this.#reserve(value.length);
    this.#offset += value.copy(this.#buffer, this.#offset);
  }

  string(value: string): void {
    const length = Buffer.byteLength(value);
    this.u32(length);
    this.#reserve(length);
    this.#offset += this.#buffer.write(value, this.#offset);
  }

  stringValue(value: string): void {
    this.u8(valueTag.string);
    this.string(value);
  }

  text(utf8: Buffer): void {
    this.u8(valueTag.string);
    this.u32(utf8.length);
    this.bytes(utf8);
  }

  /** Lines are copied as bytes, because making a string of each would take three times as long. */
  lines(utf8: Buffer): void {
    this.u8(valueTag.array);
    const countAt = this.#offset;
    this.u32(0);
    let count = 0;
    for (let start = 0; start < utf8.length; count++) {
      const newlineAt = utf8.indexOf(newline, start);
      const next = newlineAt === -1 ? utf8.length : newlineAt + 1;
      let end = newlineAt === -1 ? utf8.length : newlineAt;
      if (end > start && end < next && utf8[end - 1] === carriageReturn) end--;
      this.#reserve(5 + end - start);
      this.#buffer[this.#offset++] = valueTag.string;
      this.#offset = this.#buffer.writeUInt32LE(end - start, this.#offset);
      this.#offset += utf8.copy(this.#buffer, this.#offset, start, end);
      start = next;
    }
    this.#buffer.writeUInt32LE(count, countAt);
  }

  array(items: unknown[], write: WriteItem): void {
    this.u8(valueTag.array);
    this.u32(items.length);
    for (const item of items) write(this, item);
  }

  object(entries: [string, unknown][], write: WriteItem): void {
    this.u8(valueTag.object);
    this.entries(entries, write);
  }

  entries(entries: [string, unknown][], write: WriteItem): void {
    this.u32(entries.length);
    for (const [key, item] of entries) {
      this.string(key);
      write(this, item);
    }
  }

  finish(): Buffer {
    if (this.#buffer.length <= keptBytes) shared = this.#buffer;
    return this.#buffer.subarray(0, this.#offset);
  }

  #reserve(bytes: number): void {
    const needed = this.#offset + bytes;
    if (needed <= this.#buffer.length) return;
    const larger = Buffer.allocUnsafe(Math.max(needed, this.#buffer.length * 2));
    this.#buffer.copy(larger, 0, 0, this.#offset);
    this.#buffer = larger;
  }
}

type EngineNumber = 'NaN' | 'Infinity' | 'NegInfinity' | 'NegZero' | { Finite: number };
export type EngineValue =
  | 'Undefined'
  | 'Null'
  | { Bool: boolean }
  | { Number: EngineNumber }
  | { String: string }
  | { Array: (EngineValue | 'Hole')[] }
  | { Object: Record<string, EngineValue> };

/** A value from the engine, ready for the wire. */
export function decodeForWire(value: EngineValue): WireValue {
  const decoder = new Decoder();
  const decoded = decoder.decode(value);
  if (!decoder.plain) return encodeLeaving(decoded, 'The result');
  assertFewItems(decoder.items, 'The result');
  return { json: decoded };
}

/** A value from the engine, as JavaScript. */
export function decodeValue(value: EngineValue): SandboxValue {
  return new Decoder().decode(value);
}

/**
 * A value leaves by the rules of JSON, as from every engine: fields that are undefined are left out, a missing element
 * of a list becomes null, and -0 becomes 0. NaN and the infinities stay what they are. The engine bounds how deep a
 * value that crosses may nest, so recursion is safe here.
 */
class Decoder {
  /** Whether JSON can write every value so far. */
  plain = true;
  /** Objects, lists and fields so far. */
  items = 0;

  decode(value: EngineValue): SandboxValue {
    if (value === 'Null') return null;
    if (value === 'Undefined') {
      this.plain = false;
      return undefined;
    }
    if ('String' in value) return value.String;
    if ('Number' in value) return this.#number(value.Number);
    if ('Bool' in value) return value.Bool;
    if ('Array' in value) return this.#array(value.Array);
    return this.#object(value.Object);
  }

  #number(number: EngineNumber): number {
    if (typeof number === 'object') return number.Finite;
    if (number === 'NegZero') return 0;
    this.plain = false;
    return number === 'NegInfinity' ? -Infinity : Number(number);
  }

  #array(items: (EngineValue | 'Hole')[]): SandboxValue[] {
    this.items++;
    return items.map((item) => (item === 'Hole' || item === 'Undefined' ? null : this.decode(item)));
  }

  #object(entries: Record<string, EngineValue>): SandboxValue {
    const result: Record<string, SandboxValue> = {};
    this.items++;
    for (const key of Object.keys(entries)) {
      const entry = entries[key] as EngineValue;
      if (entry === 'Undefined') continue;
      this.items++;
      if (key === tag) this.plain = false;
      setOwn(result, key, this.decode(entry));
    }
    return result;
  }
}
