import { QuickJS, type JSValueHandle } from 'quickjs-wasi';

/** The exports of the module that are used here in addition to the library's own calls. Values are pointers. */
interface Exports {
  memory: WebAssembly.Memory;
  wasm_malloc(size: number): number;
  wasm_free(pointer: number): void;
  qjs_eval(code: number, length: number, filename: number, flags: number): number;
  qjs_is_exception(value: number): number;
  qjs_get_exception(): number;
  qjs_call(fn: number, self: number, count: number, args: number): number;
  qjs_new_string(text: number, length: number): number;
  qjs_new_number(value: number): number;
  qjs_get_string_len(value: number, length: number): number;
  qjs_free_cstring(text: number): void;
  qjs_free_value(value: number): void;
  qjs_get_undefined(): number;
  qjs_is_job_pending(): number;
  qjs_execute_pending_job(): number;
  qjs_set_memory_limit(bytes: number): void;
  qjs_set_max_stack_size(bytes: number): void;
  qjs_is_promise(value: number): number;
  qjs_is_string(value: number): number;
  qjs_promise_state(promise: number): number;
  qjs_promise_result(promise: number): number;
  qjs_get_prop_string(object: number, name: number): number;
  qjs_get_value_ptr(value: number): number;
}

/** A value of the script, as a pointer into the instance's memory. The code that gets one must free it. */
export type Value = number & { readonly value?: never };

/** The outcome of a call or an evaluation. */
export type Given = { value: Value } | { thrown: Value };

/** Where a text stands in the memory of an instance. */
interface Held {
  at: number;
  length: number;
}

/**
 * One instance of QuickJS, with the calls that the engine makes. Only numbers and bytes go in and out, and no object of
 * this realm reaches the script.
 */
export class Vm {
  readonly library: QuickJS;
  readonly #exports: Exports;
  readonly #undefined: Value;

  constructor(library: QuickJS) {
    this.library = library;
    this.#exports = (library as unknown as { exports: Exports }).exports;
    this.#undefined = this.#exports.qjs_get_undefined();
  }

  set memoryLimit(bytes: number) {
    this.#exports.qjs_set_memory_limit(bytes);
  }

  set stackLimit(bytes: number) {
    this.#exports.qjs_set_max_stack_size(bytes);
  }

  /** The whole memory. It is not a copy, and is valid while nothing runs in the instance. */
  get memory(): Buffer {
    return Buffer.from(this.#exports.memory.buffer);
  }

  /** @param pages how many pages of WebAssembly the memory has then */
  growTo(pages: number): void {
    const { memory } = this.#exports;
    memory.grow(pages - memory.buffer.byteLength / 65_536);
  }

  evaluate(code: string, filename: string, flags: number): Given {
    const bytes = Buffer.from(code);
    const text = this.#write(bytes);
    const name = this.#write(Buffer.from(filename));
    try {
      return this.#given(this.#exports.qjs_eval(text, bytes.length, name, flags));
    } finally {
      this.#exports.wasm_free(text);
      this.#exports.wasm_free(name);
    }
  }

  /** Calls a function in the script's realm. The arguments stay the caller's. */
  call(fn: Value, ...args: Value[]): Given {
    const list = this.#exports.wasm_malloc(Math.max(4, 4 * args.length));
    new Uint32Array(this.#exports.memory.buffer, list, args.length).set(args);
    try {
      return this.#given(this.#exports.qjs_call(fn, this.#undefined, args.length, list));
    } finally {
      this.#exports.wasm_free(list);
    }
  }

  /** Runs one job of a promise; `undefined` when there is none. */
  runJob(): 'done' | { thrown: Value } | undefined {
    if (this.#exports.qjs_is_job_pending() === 0) return undefined;
    return this.#exports.qjs_execute_pending_job() < 0 ? { thrown: this.#exports.qjs_get_exception() } : 'done';
  }

  /** @param utf8 valid UTF-8 */
  newText(utf8: Buffer): Value {
    const text = this.#write(utf8);
    try {
      return this.#exports.qjs_new_string(text, utf8.length);
    } finally {
      this.#exports.wasm_free(text);
    }
  }

  newNumber(value: number): Value {
    return this.#exports.qjs_new_number(value);
  }

  /** The text of a value that is a text, as a copy in UTF-8. */
  textOf(value: Value): Buffer {
    const held = this.hold(value);
    const copy = Buffer.from(this.viewOf(held));
    this.#exports.qjs_free_cstring(held.at);
    return copy;
  }

  /** Puts the text of a value into the memory as UTF-8. It stays there as long as the instance exists. */
  hold(value: Value): Held {
    const lengthAt = this.#exports.wasm_malloc(4);
    const at = this.#exports.qjs_get_string_len(value, lengthAt);
    const length = new Uint32Array(this.#exports.memory.buffer, lengthAt, 1)[0] ?? 0;
    this.#exports.wasm_free(lengthAt);
    if (at === 0) throw new RangeError('out of memory');
    return { at, length };
  }

  /**
   * A view of a text in the memory. The memory may move with the next call into the instance, which empties the view.
   */
  viewOf({ at, length }: Held): Buffer {
    return Buffer.from(this.#exports.memory.buffer, at, length);
  }

  isText(value: Value): boolean {
    return this.#exports.qjs_is_string(value) !== 0;
  }

  isPromise(value: Value): boolean {
    return this.#exports.qjs_is_promise(value) !== 0;
  }

  stateOf(promise: Value): 'pending' | 'fulfilled' | 'rejected' {
    const states = ['pending', 'fulfilled', 'rejected'] as const;
    return states[this.#exports.qjs_promise_state(promise)] ?? 'pending';
  }

  /** The value that a promise was fulfilled or rejected with. */
  resultOf(promise: Value): Value {
    return this.#exports.qjs_promise_result(promise);
  }

  fieldOf(object: Value, name: string): Value {
    const text = this.#write(Buffer.from(name));
    try {
      return this.#exports.qjs_get_prop_string(object, text);
    } finally {
      this.#exports.wasm_free(text);
    }
  }

  /** The identity of an object. All pointers to the object have the same identity. */
  identityOf(object: Value): Value {
    return this.#exports.qjs_get_value_ptr(object);
  }

  free(value: Value): void {
    this.#exports.qjs_free_value(value);
  }

  /** The pointer behind a handle of the library. */
  static valueOf(handle: JSValueHandle): Value {
    return (handle as unknown as { ptr: number }).ptr;
  }

  #given(value: Value): Given {
    if (this.#exports.qjs_is_exception(value) === 0) return { value };
    this.#exports.qjs_free_value(value);
    return { thrown: this.#exports.qjs_get_exception() };
  }

  #write(bytes: Buffer): number {
    const pointer = this.#exports.wasm_malloc(bytes.length + 1);
    if (pointer === 0) throw new RangeError('out of memory');
    const memory = new Uint8Array(this.#exports.memory.buffer, pointer, bytes.length + 1);
    memory.set(bytes);
    memory[bytes.length] = 0;
    return pointer;
  }
}
