// `TextEncoder`, `TextDecoder`, `URL` and `URLSearchParams`. V8 does the work, with one crossing for each call.
import { askV8 } from './host.js';

/** Bytes cross as a text with one character for each byte. @param {Uint8Array} bytes */
function binary(bytes) {
  const pieces = [];
  // The number of arguments of one call is bounded.
  for (let at = 0; at < bytes.length; at += 8192) pieces.push(String.fromCharCode(...bytes.subarray(at, at + 8192)));
  return pieces.join('');
}

function bytesOf(binaryText) {
  const bytes = new Uint8Array(binaryText.length);
  for (let index = 0; index < bytes.length; index++) bytes[index] = binaryText.charCodeAt(index);
  return bytes;
}

function viewOf(input) {
  if (input === undefined) return new Uint8Array(0);
  if (input instanceof ArrayBuffer) return new Uint8Array(input);
  if (ArrayBuffer.isView(input)) return new Uint8Array(input.buffer, input.byteOffset, input.byteLength);
  throw new TypeError('The "input" argument must be an instance of ArrayBuffer or ArrayBufferView.');
}

class TextEncoder {
  get encoding() {
    return 'utf-8';
  }
  encode(text = '') {
    return bytesOf(askV8('encode', String(text)));
  }
  encodeInto(text, target) {
    const bytes = this.encode(text);
    // Only whole characters are written.
    let written = Math.min(bytes.length, target.length);
    while (written > 0 && written < bytes.length && (bytes[written] & 0xc0) === 0x80) written--;
    target.set(bytes.subarray(0, written));
    return { read: new TextDecoder().decode(bytes.subarray(0, written)).length, written };
  }
}

class TextDecoder {
  #label;
  #options;
  #encoding;
  /** Bytes that were given with `stream` and may end inside a character. */
  #waiting = '';
  constructor(label = 'utf-8', { fatal = false, ignoreBOM = false } = {}) {
    this.#label = String(label);
    this.#options = { fatal: Boolean(fatal), ignoreBOM: Boolean(ignoreBOM) };
    this.#encoding = askV8('encodingOf', this.#label);
  }
  get encoding() {
    return this.#encoding;
  }
  get fatal() {
    return this.#options.fatal;
  }
  get ignoreBOM() {
    return this.#options.ignoreBOM;
  }
  decode(input, { stream = false } = {}) {
    this.#waiting += binary(viewOf(input));
    const { text, rest } = askV8('decode', this.#label, this.#options, this.#waiting, stream);
    this.#waiting = rest;
    return text;
  }
}

class URLSearchParams {
  #pairs;
  /** Called after every change, for the URL that these parameters belong to. */
  #changed;
  constructor(init = '', changed = undefined) {
    this.#changed = typeof changed === 'function' ? changed : () => {};
    if (typeof init === 'string') this.#pairs = askV8('parseParameters', init);
    else if (typeof init?.[Symbol.iterator] === 'function') {
      this.#pairs = [...init].map(([name, value]) => [String(name), String(value)]);
    } else this.#pairs = Object.entries(init ?? {}).map(([name, value]) => [name, String(value)]);
  }
  get size() {
    return this.#pairs.length;
  }
  get(name) {
    return this.#pairs.find(([key]) => key === String(name))?.[1] ?? null;
  }
  getAll(name) {
    return this.#pairs.filter(([key]) => key === String(name)).map(([, value]) => value);
  }
  has(name, value) {
    return this.#pairs.some(([key, item]) => key === String(name) && (value === undefined || item === String(value)));
  }
  append(name, value) {
    this.#pairs.push([String(name), String(value)]);
    this.#changed();
  }
  delete(name, value) {
    this.#pairs = this.#pairs.filter(
      ([key, item]) => key !== String(name) || (value !== undefined && item !== String(value)),
    );
    this.#changed();
  }
  set(name, value) {
    const first = this.#pairs.find(([key]) => key === String(name));
    if (first === undefined) return this.append(name, value);
    first[1] = String(value);
    this.#pairs = this.#pairs.filter((pair) => pair === first || pair[0] !== String(name));
    this.#changed();
  }
  sort() {
    this.#pairs.sort(([one], [other]) => (one < other ? -1 : Number(one > other)));
    this.#changed();
  }
  forEach(callback, self) {
    for (const [name, value] of this) Reflect.apply(callback, self, [value, name, this]);
  }
  *keys() {
    for (const [name] of this.#pairs) yield name;
  }
  *values() {
    for (const [, value] of this.#pairs) yield value;
  }
  *entries() {
    for (const [name, value] of this.#pairs) yield [name, value];
  }
  [Symbol.iterator]() {
    return this.entries();
  }
  toString() {
    return askV8('writeParameters', this.#pairs);
  }
  get [Symbol.toStringTag]() {
    return 'URLSearchParams';
  }
}

const parts = ['href', 'protocol', 'username', 'password', 'host', 'hostname', 'port', 'pathname', 'search', 'hash'];

class URL {
  #parts;
  #parameters;
  constructor(url, base) {
    this.#take(askV8('parseUrl', String(url), base === undefined ? null : String(base)));
  }
  static canParse(url, base) {
    return askV8('canParseUrl', String(url), base === undefined ? null : String(base));
  }
  #take(parsed) {
    this.#parts = parsed;
    this.#parameters = new URLSearchParams(parsed.search, () => {
      this.#parts = askV8('changeUrl', this.#parts.href, 'search', this.#parameters.toString());
    });
  }
  get origin() {
    return this.#parts.origin;
  }
  get searchParams() {
    return this.#parameters;
  }
  toString() {
    return this.#parts.href;
  }
  toJSON() {
    return this.#parts.href;
  }
  get [Symbol.toStringTag]() {
    return 'URL';
  }
  static {
    for (const part of parts) {
      Object.defineProperty(URL.prototype, part, {
        get() {
          return this.#parts[part];
        },
        set(value) {
          this.#take(askV8('changeUrl', this.#parts.href, part, String(value)));
        },
        enumerable: true,
        configurable: true,
      });
    }
  }
}

export function installEncodings() {
  // The names are given here, because a bundler may have renamed the classes.
  for (const [name, value] of Object.entries({ TextEncoder, TextDecoder, URLSearchParams, URL })) {
    Object.defineProperty(value, 'name', { value: name, configurable: true });
    Object.defineProperty(globalThis, name, { value, writable: true, configurable: true });
  }
}
