import { compileFailure, type Diagnostic, type EngineInfo } from '@mustard-sandbox/protocol';
import type { Engine, EngineRun, Frozen, Setup } from '../interface.ts';
import { diagnose, forQuickJS, readTyped } from '../read/read.ts';
import type { Program } from '../read/program.ts';
import { scriptName } from './errors.ts';
import { thawInto, type KeptState } from './frozen.ts';
import { QuickJSRun } from './run.ts';
import { Stock } from './stock.ts';

/** The version of `quickjs-wasi`, which the bundle holds. */
const version = '3.6.2';

const tooDeep = 'it nests too deep to be read: write it with fewer levels';

/** The most memory of an instance apart from the values of its script: its image, and what its allocator cannot use. */
const besidesHeap = 64 * 1024 * 1024;

const compileOnly = 1 << 5;
const withAwait = 1 << 7;

/** QuickJS in WebAssembly, which runs JavaScript. It works wherever Node runs. */
export class QuickJS implements Engine {
  readonly name = 'quickjs';
  readonly info: EngineInfo = { name: 'quickjs', version, available: true };
  readonly #stock: Stock;

  /** @param folder where the build has put the parts of QuickJS */
  constructor(folder: URL) {
    this.#stock = new Stock(folder);
  }

  /** Makes the instance of the next run while nobody waits. */
  prepareNext(): void {
    this.#stock.refill();
  }

  async validate(program: Program): Promise<Diagnostic[]> {
    const { vm } = await this.#stock.take();
    try {
      const given = vm.evaluate(program.code, scriptName, compileOnly | (program.waits ? withAwait : 0));
      return 'thrown' in given ? diagnose(program.source) : [];
    } catch (error) {
      // The stack of the process ran out inside the compiler, or inside our parser.
      if (error instanceof RangeError) return [{ code: 'parse_error', message: tooDeep, construct: 'nesting' }];
      throw error;
    } finally {
      vm.library.dispose();
    }
  }

  async prepare(program: Program, setup: Setup): Promise<EngineRun> {
    return new QuickJSRun(await this.#stock.take(), this.#stock, program, setup);
  }

  version(): string {
    return `${version}+${this.#stock.base().hash}`;
  }

  async thaw(program: Program, setup: Setup, frozen: Frozen): Promise<EngineRun> {
    const kept = frozen.state as unknown as KeptState;
    const rewritten = kept.isTyped ? readTyped(program.source) : program;
    if ('diagnostics' in rewritten) throw compileFailure(rewritten.diagnostics);
    const instance = await this.#stock.take();
    thawInto(instance, frozen, setup.limits.heapBytes + besidesHeap);
    return new QuickJSRun(instance, this.#stock, forQuickJS(rewritten), setup, kept);
  }
}
