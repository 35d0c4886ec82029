import { inspect } from 'node:util';
import type { Outcome } from '../engine/interface.ts';
import {
  maxConsoleCharacters,
  maxConsoleLinesPerSecond,
  maxConsoleRunCharacters,
  type ConsoleLevel,
  type SandboxValue,
} from '@mustard-sandbox/protocol';

export const consoleFunctions = ['console.log', 'console.warn', 'console.error'];

const done: Outcome = { value: { tagged: { $: 'undefined' } } };

/**
 * Turns console calls of a script into lines for the client. The length of a line, the lines in a second and the text
 * of a run are bounded. A call past a bound costs next to nothing, and a line of its own reports that lines were
 * dropped.
 */
export class ConsoleWriter {
  readonly #emit: (level: ConsoleLevel, text: string) => void;
  #left: number;
  #secondStarted = performance.now();
  #lines = 0;
  #dropped = 0;

  /** @param left how much text the run may still write, in UTF-16 code units */
  constructor(emit: (level: ConsoleLevel, text: string) => void, left: number = maxConsoleRunCharacters) {
    this.#emit = emit;
    this.#left = left;
  }

  /** How much text the run may still write, in UTF-16 code units. */
  get left(): number {
    return this.#left;
  }

  write(capability: string, args: SandboxValue[]): Outcome {
    if (this.#left <= 0 || !this.#isInTime()) return done;
    const text = cut(args.map(format).join(' '));
    this.#left -= text.length + 1;
    this.#emit(capability.slice('console.'.length) as ConsoleLevel, text);
    if (this.#left <= 0) this.#emit('warn', `[console output over ${maxConsoleRunCharacters} characters dropped]`);
    return done;
  }

  /** Writes how many lines of the last second were dropped. */
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
  if (text.length <= maxConsoleCharacters) return text;
  // The cut may have split a surrogate pair.
  const kept = text.slice(0, maxConsoleCharacters).replace(/[\uD800-\uDBFF]$/, '');
  return `${kept} … [${text.length - kept.length} more characters]`;
}
