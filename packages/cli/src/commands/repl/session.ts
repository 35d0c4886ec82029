import {
  limitTable,
  type LimitOptions,
  type RunResult,
  type Sandbox,
  type SandboxError,
  type ScopeOptions,
} from '@mustard-sandbox/client';
import { mayChangeSomething } from './effects.ts';

/**
 * The script calls this function between the old inputs and the new one, because earlier console lines were shown
 * already.
 */
const newPart = '$newPart';
/** Texts to append. An unfinished script then fails in another way, and a wrong script in the same way. */
const continuations = ['\n`', '\n*/`'];

export interface SessionOptions {
  sandbox: Sandbox;
  scope: ScopeOptions;
  inputs: Record<string, unknown>;
  limits: LimitOptions;
}

export interface RunInputOptions {
  signal: AbortSignal;
  onConsole?: (line: { text: string }) => void;
}

/**
 * A script that grows by one input at a time. Runs share no state, so each new input runs together with all earlier
 * inputs that may have changed something.
 */
export class Session {
  limits: LimitOptions;
  readonly scope: ScopeOptions;
  readonly #sandbox: Sandbox;
  readonly #inputs: Record<string, unknown>;
  readonly #kept: string[] = [];
  #asked: string | undefined;

  constructor({ sandbox, scope, inputs, limits }: SessionOptions) {
    this.#sandbox = sandbox;
    this.scope = scope;
    this.#inputs = inputs;
    this.limits = limits;
  }

  get script(): string {
    return this.#kept.map((input) => `${input}\n`).join('');
  }

  /** Where the next input begins in the script. */
  get nextLine(): number {
    return this.script.split('\n').length;
  }

  /**
   * Whether `input` is only unfinished, so that more text could make it a script. For such a text the compiler reports
   * an error at the end, and that error moves when the text is continued.
   */
  async isUnfinished(input: string): Promise<boolean> {
    const problem = await this.#problemOf(input);
    if (problem?.code !== 'parse_error') return false;
    for (const more of continuations) {
      if ((await this.#problemOf(`${input}${more}`))?.message !== problem.message) return true;
    }
    return false;
  }

  /**
   * Runs `text` after the kept inputs, and keeps it if it may have changed something. `isLost` says that it should have
   * been kept, but nothing can follow it.
   *
   * @throws {SandboxError} the error of the run; then nothing is kept
   */
  async run(text: string, { signal, onConsole }: RunInputOptions): Promise<RunResult & { isLost: boolean }> {
    const input = await this.#asExpression(text);
    const isMarked = this.#kept.length > 0;
    let isNew = !isMarked;
    const result = await this.#sandbox.run({
      script: `${this.#prefix}${input}`,
      inputs: this.#inputs,
      scope: this.scope,
      limits: this.limits,
      signal,
      hostFunctions: { [newPart]: () => void (isNew = true) },
      onConsole: (line) => isNew && onConsole?.(line),
    });
    this.#asked = input;
    const isLost = mayChangeSomething(input) && !(await this.keep());
    return { ...result, isLost, hostCalls: result.hostCalls - (isMarked ? 1 : 0) };
  }

  /**
   * Keeps the last input that was run. Returns `false` when there is none, or nothing can follow it, as after `return`.
   */
  async keep(): Promise<boolean> {
    if (this.#asked === undefined) return false;
    // A line break is needed, because a comment at the end would swallow the semicolon.
    const kept = `${this.#asked}${this.#asked.split('\n').at(-1)?.includes('//') ? '\n' : ''};`;
    this.#asked = undefined;
    if ((await this.#problemOf(`${kept}\n0`)) !== undefined || !(await this.#goesOnAfter(kept))) return false;
    this.#kept.push(kept);
    return true;
  }

  /** Takes back the last input that was kept. */
  undo(): string | undefined {
    this.#asked = undefined;
    return this.#kept.pop();
  }

  reset(): void {
    this.#asked = undefined;
    this.#kept.length = 0;
  }

  /** Runs a script of the session itself. It sees the files of the session, but none of its variables. */
  async query(script: string, inputs: Record<string, unknown>, signal: AbortSignal): Promise<RunResult> {
    return await this.#sandbox.run({ script, inputs, scope: this.scope, signal });
  }

  /** The frame of an error shows the previous line, which has the call that the session put there. */
  withoutMark(frame: string): string {
    return frame.replaceAll(`${newPart}();`, '');
  }

  /** Whether a script reaches the code after this input. Only a `return` ends a script early without an error. */
  async #goesOnAfter(kept: string): Promise<boolean> {
    if (!/\breturn\b/.test(kept)) return true;
    let isReached = false;
    const script = `${this.script}${kept}\n${newPart}();`;
    const hostFunctions = { [newPart]: () => void (isReached = true) };
    const { scope, limits } = this;
    const run = this.#sandbox.run({ script, inputs: this.#inputs, scope, limits, hostFunctions });
    await run.catch(() => {}); // After a failure it is not reached either.
    return isReached;
  }

  get #prefix(): string {
    // The call is on the last kept line, so that line numbers stay as they were typed.
    return this.#kept.length === 0 ? '' : `${this.script.slice(0, -1)}${newPart}();\n`;
  }

  /** The compiler reads `{ a }` as a block, but a person who types it means an object. */
  async #asExpression(input: string): Promise<string> {
    if (!/^\s*\{[^]*\}\s*$/.test(input)) return input;
    const wrapped = `(${input.trim()})`;
    return (await this.#problemOf(wrapped)) === undefined ? wrapped : input;
  }

  async #problemOf(input: string): Promise<{ code: SandboxError['code']; message: string } | undefined> {
    return (await this.#sandbox.validate(`${this.#prefix}${input}`))[0];
  }
}

/** The session is one script, so it may be as long as a script can be. */
export const sessionLimits: LimitOptions = { scriptBytes: limitTable.scriptBytes.ceiling };
