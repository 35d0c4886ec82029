import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { setFlagsFromString } from 'node:v8';
import { JSValueHandle, QuickJS, type QuickJSOptions } from 'quickjs-wasi';
import { decodeUtf8 } from '@mustard-sandbox/protocol/sidecar';
import { Vm, type Value } from './vm.ts';

/**
 * The calls from an instance to its run: the functions of prelude/host.js. None of them throws, because the library
 * would hand the error to the script with paths of this process in its stack. When one returns `undefined`, `failure`
 * says why. Texts are UTF-8.
 */
export interface Bridge {
  call(name: string, args: Buffer): Buffer | undefined;
  begin(name: string, args: Buffer): number | undefined;
  inV8(operation: string, args: string, text: string | undefined): string | undefined;
  failure(): string;
  /** Called after some thousand turns of loops and calls. Returns whether the script must end. */
  interrupt(): boolean;
  /** A promise was rejected that nobody waits for, or somebody now waits for it. */
  rejected(promise: Value, reason: Value, isHandled: boolean): void;
}

/** The functions of the prelude that the engine calls. */
type EntryName =
  | 'setUp'
  | 'enterInputs'
  | 'enterText'
  | 'leave'
  | 'leaveTagged'
  | 'takeNotes'
  | 'settle'
  | 'settleFailure'
  | 'describe'
  | 'stack';
type Entries = Record<EntryName, Value>;

/** An instance that has run no script. */
export interface Instance {
  vm: Vm;
  entries: Entries;
  /** The run that it calls. The run that takes the instance sets it. */
  bridge: Bridge | undefined;
  /** Frees the value that the script was handed last. */
  release(): void;
}

/** The state of the prepared instance outside of its memory, as scripts/build/quickjs-image.mjs writes it. */
interface Image {
  stackPointer: number;
  runtimePtr: number;
  contextPtr: number;
  entries: Entries;
}

/** How many random numbers cross at a time. */
const randomAtOnce = 64;

/**
 * QuickJS checks the depth of its own stack, and V8 that of the process. QuickJS must run out first, because the script
 * gets an error from it that it can catch, while V8's error ends the run. The client gives sidecars a larger stack of
 * V8.
 */
const stackBytes = (process.execArgv.some((flag) => flag.startsWith('--stack-size=')) ? 512 : 224) * 1024;

/** The memory comes with the module. `QuickJS.restore` would copy another one over it. */
const noMemory = new Uint8Array(0);

/**
 * Fresh instances of QuickJS, one for each run, made ahead. Their memory begins as the prelude left it when the module
 * was built.
 */
export class Stock {
  #module: WebAssembly.Module | undefined;
  #next: Promise<Instance> | undefined;
  #base: Base | undefined;
  #isWarm = false;
  readonly #folder: URL;

  /** @param folder where the build has put `quickjs.wasm` */
  constructor(folder: URL) {
    this.#folder = folder;
  }

  /** Gives an instance, without making the next one yet. */
  take(): Promise<Instance> {
    const taken = this.#next ?? this.#make();
    this.#next = undefined;
    return taken;
  }

  /** Makes the next instance, if there is none. */
  refill(): void {
    this.#next ??= this.#makeWarm();
    // The run that takes it gets the error.
    this.#next.catch(() => {});
  }

  /**
   * V8 compiles WebAssembly quickly at first, and well after a function has run often. But a running function is not
   * replaced, and a script with a long loop is one single call of the interpreter. So this call makes V8 compile the
   * interpreter well beforehand. That takes V8's other threads 70 ms of processor time once, and a script of 660 ms
   * then takes 260 ms.
   */
  async #makeWarm(): Promise<Instance> {
    if (!this.#isWarm) {
      this.#isWarm = true;
      const { vm } = await this.#make();
      vm.evaluate('for (let turn = 0; turn < 5000; turn++);', '<sandbox>', 0);
      // Collects what the start has left: 2.5 MB of the 70 MB of an idle sidecar.
      globalThis.gc?.();
    }
    return await this.#make();
  }

  async #make(): Promise<Instance> {
    return await instanceOf(this.#compiled);
  }

  get #compiled(): WebAssembly.Module {
    return (this.#module ??= compile(fileURLToPath(new URL('quickjs.wasm', this.#folder))));
  }

  /** The memory with which every instance begins. Made for the first run in segments, because it takes 1.4 MB. */
  base(): Base {
    return (this.#base ??= baseOf(this.#compiled));
  }
}

/**
 * The budget after which V8 11, of Node 20, compiles a function well, and the budget that the interpreter of QuickJS
 * should get.
 */
const budget = { ofV8: '--wasm-tiering-budget=1800000', ours: '--wasm-tiering-budget=100000000' };

/**
 * With V8's own budget the interpreter is compiled well after some twenty calls. That takes 70 ms on the processor that
 * the first result and the watchdog's thread need. With this budget it happens after a millisecond of a script. A first
 * script of 10,000 turns then takes half the time, and a long one no more than before. V8 reads the budget once for
 * each module.
 */
function compile(path: string): WebAssembly.Module {
  const bytes = readFileSync(path);
  if (!process.versions.v8.startsWith('11.')) return new WebAssembly.Module(bytes);
  setFlagsFromString(budget.ours);
  try {
    return new WebAssembly.Module(bytes);
  } finally {
    setFlagsFromString(budget.ofV8);
  }
}

/** The memory of an instance in which nothing has run. */
export interface Base {
  memory: Buffer;
  /** Below this address lies what calls have left over. */
  stackPointer: number;
  /** A hash of the module. An instance can only continue in the module in which it was frozen. */
  hash: string;
}

function baseOf(module: WebAssembly.Module): Base {
  const { entries, stackPointer } = imageOf(module);
  // None of these is called, because the memory stays as the module has it.
  const imports: Record<string, Record<string, () => number>> = {};
  for (const { module: from, name } of WebAssembly.Module.imports(module)) (imports[from] ??= {})[name] = () => 0;
  const { exports } = new WebAssembly.Instance(module, imports);
  const memory = Buffer.from((exports as { memory: WebAssembly.Memory }).memory.buffer);
  // Loaded here, because it takes 3 ms of a start, and few sidecars run segments.
  const { createHash } = process.getBuiltinModule('node:crypto');
  const hash = createHash('sha256').update(memory).update(JSON.stringify(entries)).digest('hex').slice(0, 16);
  return { memory, stackPointer, hash };
}

async function instanceOf(module: WebAssembly.Module): Promise<Instance> {
  const bridge = new Switch();
  const { entries, ...image } = imageOf(module);
  const library = await QuickJS.restore({ ...image, memory: noMemory, extensions: [] }, optionsOf(module, bridge));
  for (const [name, call] of Object.entries(bridge.functions(library))) library.registerHostCallback(name, call);
  return bridge.serve(new Vm(library), entries);
}

function imageOf(module: WebAssembly.Module): Image {
  const [section] = WebAssembly.Module.customSections(module, 'image');
  return JSON.parse(Buffer.from(section as ArrayBuffer).toString()) as Image;
}

function optionsOf(module: WebAssembly.Module, bridge: Switch): QuickJSOptions {
  return {
    wasm: module,
    // The C library of QuickJS asks for random bytes at its start. The library's own function would load node:crypto,
    // which takes 3 ms of each start.
    wasi: (memory) => ({
      random_get(pointer: number, length: number) {
        const bytes = new Uint8Array(memory.buffer, pointer, length);
        for (let index = 0; index < length; index++) bytes[index] = Math.random() * 256;
        return 0;
      },
    }),
    timezoneOffset: 0,
    maxStackSize: stackBytes,
    interruptHandler: () => bridge.instance?.bridge?.interrupt() ?? false,
    onUnhandledRejection: (promise, reason, isHandled) => {
      bridge.instance?.bridge?.rejected(Vm.valueOf(promise), Vm.valueOf(reason), isHandled);
    },
  };
}

/** Connects an instance with the run that it is given to. */
class Switch {
  instance: Instance | undefined;
  /** The value that was handed over last. The library copies it after the call. */
  #lent: Value | undefined;

  serve(vm: Vm, entries: Entries): Instance {
    return (this.instance = { vm, entries, bridge: undefined, release: () => this.#keep(undefined) });
  }

  functions(library: QuickJS): Record<string, (...args: JSValueHandle[]) => JSValueHandle> {
    const textOf = (handle: JSValueHandle): Buffer => (this.instance as Instance).vm.textOf(Vm.valueOf(handle));
    const text = (answer: Buffer | string | undefined): JSValueHandle => {
      if (answer === undefined) return library.undefined;
      const value = this.#vm.newText(typeof answer === 'string' ? Buffer.from(answer) : answer);
      return this.#lend(library, value);
    };
    return {
      call: (name, args) => text(this.#bridge.call(textOf(name).toString(), textOf(args))),
      begin: (name, args) => {
        const id = this.#bridge.begin(textOf(name).toString(), textOf(args));
        return id === undefined ? library.undefined : this.#lend(library, this.#vm.newNumber(id));
      },
      inV8: (operation, args, long) => {
        const longText = long === undefined ? undefined : decodeUtf8(textOf(long));
        return text(this.#bridge.inV8(textOf(operation).toString(), textOf(args).toString(), longText));
      },
      failure: () => text(this.#bridge.failure()),
      random: () => text(JSON.stringify(Array.from({ length: randomAtOnce }, Math.random))),
    };
  }

  get #vm(): Vm {
    return (this.instance as Instance).vm;
  }

  get #bridge(): Bridge {
    return this.instance?.bridge as Bridge;
  }

  #lend(library: QuickJS, value: Value): JSValueHandle {
    this.#keep(value);
    return new JSValueHandle(library, value);
  }

  #keep(value: Value | undefined): void {
    if (this.#lent !== undefined) this.#vm.free(this.#lent);
    this.#lent = value;
  }
}
