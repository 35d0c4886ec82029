import { isAscii } from 'node:buffer';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { JSValueHandle, QuickJS, type QuickJSOptions, type Snapshot } from 'quickjs-wasi';
import { Vm, type Value } from './vm.ts';

/**
 * What an instance asks of the run that it is given to: the functions of prelude/host.js. None of them throws, because
 * the library would give the script the error with the paths of this process in its stack. `undefined`: `failure` says
 * why. Texts are UTF-8.
 */
export interface Bridge {
  call(name: string, args: Buffer): Buffer | undefined;
  begin(name: string, args: Buffer): number | undefined;
  inV8(operation: string, args: string, text: string | undefined): string | undefined;
  failure(): string;
  /** Asked after some thousand turns of loops and calls: whether the script is to end. */
  interrupt(): boolean;
  /** A promise was rejected and nobody waits for it, or somebody now does. */
  rejected(promise: Value, reason: Value, isHandled: boolean): void;
}

/** The functions of the prelude that the engine calls, by the pointers that the image gives them. */
const entryNames = [
  'setUp',
  'enterInputs',
  'enterText',
  'leave',
  'takeNotes',
  'settle',
  'settleFailure',
  'describe',
] as const;
type Entries = Record<(typeof entryNames)[number], Value>;

/** An instance that no script has run in. */
export interface Instance {
  vm: Vm;
  entries: Entries;
  /** Whom it asks; set by the run that takes it. */
  bridge: Bridge | undefined;
}

interface Image {
  snapshot: Snapshot;
  tokens: Entries;
}

/** Random numbers that cross at a time. */
const randomAtOnce = 64;

/**
 * Native code of QuickJS checks the depth of its own stack, and V8 that of the process. The first must come first, so that
 * a script gets an error that it can catch; V8's ends the run. The client gives sidecars more of V8's stack.
 */
const stackBytes = (process.execArgv.some((flag) => flag.startsWith('--stack-size=')) ? 512 : 224) * 1024;

/**
 * Fresh instances of QuickJS, one for each run, made ahead. The prelude runs once; its memory is the image that the
 * instances of later runs begin with, which takes a third of the time.
 */
export class Stock {
  #module: WebAssembly.Module | undefined;
  #image: Image | undefined;
  #next: Promise<Instance> | undefined;
  #isWarm = false;
  readonly #folder: URL;

  /** @param folder where the build has put `quickjs.wasm` and `prelude.js` */
  constructor(folder: URL) {
    this.#folder = folder;
  }

  /** Gives an instance, and makes none for the next run yet. */
  take(): Promise<Instance> {
    const taken = this.#next ?? this.#make();
    this.#next = undefined;
    return taken;
  }

  /** Makes the next instance, where there is none. */
  refill(): void {
    this.#next ??= this.#makeWarm();
    // Whoever takes it gets the error.
    this.#next.catch(() => {});
  }

  /**
   * V8 compiles WebAssembly quickly at first, and well once a function has run often; but a function that is under way
   * stays as it is, and a script with a long loop is one call of the interpreter's. So that is made to be compiled well
   * before: it takes V8's other threads 70 ms of processor time once, and a script of 660 ms then takes 260.
   */
  async #makeWarm(): Promise<Instance> {
    const instance = await this.#make();
    if (!this.#isWarm) instance.vm.evaluate('for (let turn = 0; turn < 5000; turn++);', preludeName, 0);
    this.#isWarm = true;
    return instance;
  }

  async #make(): Promise<Instance> {
    this.#module ??= new WebAssembly.Module(this.#read('quickjs.wasm'));
    return this.#image === undefined ? await this.#makeFirst(this.#module) : await restored(this.#image, this.#module);
  }

  /** The first one makes the image, and is used itself. */
  async #makeFirst(module: WebAssembly.Module): Promise<Instance> {
    const bridge = new Switch();
    const library = await QuickJS.create(optionsOf(module, bridge));
    const host = library.newObject();
    for (const [name, call] of Object.entries(bridge.functions(library))) {
      host.setProp(name, library.newFunction(name, call));
    }
    library.setProp(library.global, '__host', host);
    host.dispose();
    const made = library.evalCode(this.#read('prelude.js').toString(), preludeName);
    const handles = entryNames.map((name) => [name, made.getProp(name)] as const);
    const tokens = Object.fromEntries(handles.map(([name, handle]) => [name, library.exportHandle(handle)])) as Entries;
    made.dispose();
    library.executePendingJobs();
    this.#image = { snapshot: library.snapshot(), tokens };
    return bridge.serve(new Vm(library), tokens);
  }

  #read(name: string): Buffer {
    return readFileSync(fileURLToPath(new URL(name, this.#folder)));
  }
}

/** What frames of the prelude are named in the stack of an error. */
const preludeName = '<sandbox>';

async function restored({ snapshot, tokens }: Image, module: WebAssembly.Module): Promise<Instance> {
  const bridge = new Switch();
  const library = await QuickJS.restore(snapshot, optionsOf(module, bridge));
  for (const [name, call] of Object.entries(bridge.functions(library))) library.registerHostCallback(name, call);
  return bridge.serve(new Vm(library), tokens);
}

function optionsOf(module: WebAssembly.Module, bridge: Switch): QuickJSOptions {
  return {
    wasm: module,
    // Its C library asks for some at its start. The library's own loads node:crypto, 3 ms of each start.
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
  /** What was handed over last: the library takes a copy after the call. */
  #lent: Value | undefined;

  serve(vm: Vm, entries: Entries): Instance {
    return (this.instance = { vm, entries, bridge: undefined });
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
        const longText = long === undefined ? undefined : decoded(textOf(long));
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
    if (this.#lent !== undefined) this.#vm.free(this.#lent);
    this.#lent = value;
    return new JSValueHandle(library, value);
  }
}

/** ASCII decodes three times as fast so. */
function decoded(utf8: Buffer): string {
  return utf8.toString(isAscii(utf8) ? 'latin1' : 'utf8');
}
