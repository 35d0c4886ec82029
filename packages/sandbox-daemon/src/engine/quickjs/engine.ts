import type { Diagnostic, EngineInfo } from '../../protocol/methods.ts';
import type { Engine, EngineRun, Setup } from '../interface.ts';
import { diagnose, type Program } from '../read/read.ts';
import { scriptName } from './errors.ts';
import { QuickJSRun } from './run.ts';
import { Stock } from './stock.ts';

/** Of the package `quickjs-wasi`, which the bundle holds. */
const version = '3.6.2';

const tooDeep = 'it nests too deep to be read: write it with fewer levels';

const compileOnly = 1 << 5;
const withAwait = 1 << 7;

/** QuickJS in WebAssembly: JavaScript as it is, for what computes. It runs wherever Node runs. */
export class QuickJS implements Engine {
  readonly name = 'quickjs';
  readonly info: EngineInfo = { name: 'quickjs', version, available: true };
  readonly #stock: Stock;

  /** @param folder where the build has put what QuickJS is made of */
  constructor(folder: URL) {
    this.#stock = new Stock(folder);
  }

  /** Makes the instance of the next run, while nobody waits. */
  prepareNext(): void {
    this.#stock.refill();
  }

  async validate(program: Program): Promise<Diagnostic[]> {
    const { vm } = await this.#stock.take();
    try {
      const given = vm.evaluate(program.code, scriptName, compileOnly | (program.waits ? withAwait : 0));
      return 'thrown' in given ? diagnose(program.source) : [];
    } catch (error) {
      // The stack of the process ended inside of the compiler, or of our parser.
      if (error instanceof RangeError) return [{ code: 'parse_error', message: tooDeep, construct: 'nesting' }];
      throw error;
    } finally {
      vm.library.dispose();
    }
  }

  async prepare(program: Program, setup: Setup): Promise<EngineRun> {
    return new QuickJSRun(await this.#stock.take(), program, setup);
  }
}
