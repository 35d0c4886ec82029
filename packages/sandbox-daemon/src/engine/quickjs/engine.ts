import { compileFailure } from '../../protocol/compile-failure.ts';
import type { Diagnostic, EngineInfo } from '../../protocol/methods.ts';
import type { Engine, EngineRun, Setup } from '../interface.ts';
import type { Program } from '../read/read.ts';
import { QuickJSRun, scriptName } from './run.ts';
import { Stock } from './stock.ts';

/** Of the package `quickjs-wasi`, which the bundle holds. */
export const quickJSVersion = '3.6.2';

const compileOnly = 1 << 5;
const withAwait = 1 << 7;

/** QuickJS in WebAssembly: JavaScript as it is, for what computes. It runs wherever Node runs. */
export class QuickJSEngine implements Engine {
  readonly name = 'quickjs';
  readonly info: EngineInfo = { name: 'quickjs', version: quickJSVersion, available: true };
  readonly #stock = new Stock();
  readonly #diagnose: (source: string) => Diagnostic[];

  /** @param diagnose says what is wrong with a script that does not compile */
  constructor(diagnose: (source: string) => Diagnostic[]) {
    this.#diagnose = diagnose;
  }

  /** Makes the instance of the next run, while nobody waits. */
  prepareNext(): void {
    this.#stock.refill();
  }

  async validate(program: Program): Promise<Diagnostic[]> {
    const { vm } = await this.#stock.take();
    try {
      const given = vm.evaluate(program.code, scriptName, compileOnly | (program.waits ? withAwait : 0));
      return 'thrown' in given ? this.#diagnose(program.source) : [];
    } finally {
      vm.library.dispose();
    }
  }

  async prepare(program: Program, setup: Setup): Promise<EngineRun> {
    return new QuickJSRun(await this.#stock.take(), program, setup);
  }

  /** The error for a script that QuickJS does not compile. */
  failure(program: Program): Error | undefined {
    const diagnostics = this.#diagnose(program.source);
    return diagnostics.length === 0 ? undefined : compileFailure(diagnostics);
  }
}
