import { inspect } from 'node:util';
import type { Outcome } from '../engine/engine.ts';
import { maxConsoleBytes, maxConsoleLinesPerSecond, maxConsoleRunBytes } from '../protocol/limits.ts';
import type { ConsoleLevel } from '../protocol/methods.ts';
import type { SandboxValue } from '../protocol/values.ts';

export const consoleFunctions = ['console.log', 'console.warn', 'console.error'];

const done: Outcome = { value: { tagged: { $: 'undefined' } } };

/**
 * Turns a script's console calls into lines for the client, within bounds: of one line, of a second's lines
 * and of the run's text. What is dropped costs next to nothing, and is said.
 */
export class ConsoleWriter {
  readonly #emit: (level: ConsoleLevel, text: string) => void;
  #left = maxConsoleRunBytes;
  #secondStarted = performance.now();
  #lines = 0;
  #dropped = 0;

  constructor(emit: (level: ConsoleLevel, text: string) => void) {
    this.#emit = emit;
  }

  write(capability: string, args: SandboxValue[]): Outcome {
    if (this.#left <= 0 || !this.#isInTime()) return done;
    const text = cut(args.map(format).join(' '));
    this.#left -= text.length + 1;
    this.#emit(capability.slice('console.'.length) as ConsoleLevel, text);
    if (this.#left <= 0) this.#emit('warn', `[console output over ${maxConsoleRunBytes} bytes dropped]`);
    return done;
  }

  /** Says what was dropped last. */
  end(): void {
    if (this.#dropped === 0) return;
    this.#emit('warn', `[${this.#dropped} console lines over ${maxConsoleLinesPerSecond} in a second dropped]`);
    this.#dropped = 0;
  }

  #isInTime(): boolean {
    const now = performance.now();
    if (now - this.#secondStarted >= 1_000) {
      this.end();
      this.#secondStarted = now;
      this.#lines = 0;
    }
    if (++this.#lines <= maxConsoleLinesPerSecond) return true;
    this.#dropped++;
    return false;
  }
}

function format(value: SandboxValue): string {
  if (typeof value === 'string') return value;
  return inspect(value, { depth: 4, breakLength: Infinity, maxArrayLength: 100, maxStringLength: 1000 });
}

function cut(text: string): string {
  if (text.length <= maxConsoleBytes) return text;
  // The cut may have split a surrogate pair.
  const kept = text.slice(0, maxConsoleBytes).replace(/[\uD800-\uDBFF]$/, '');
  return `${kept} … [${text.length - kept.length} more characters]`;
}
