import { inspect } from 'node:util';
import type { Outcome } from '../engine/engine.ts';
import { maxConsoleBytes, maxRunConsoleBytes } from '../protocol/limits.ts';
import type { ConsoleLevel } from '../protocol/methods.ts';
import type { SandboxValue } from '../protocol/values.ts';

export const consoleCapabilities = ['console.log', 'console.warn', 'console.error'];

const done: Outcome = { value: { tagged: { $: 'undefined' } } };

/** Turns a script's console calls into lines for the client, within bounds. */
export class ConsoleWriter {
  readonly #emit: (level: ConsoleLevel, text: string) => void;
  #left = maxRunConsoleBytes;

  constructor(emit: (level: ConsoleLevel, text: string) => void) {
    this.#emit = emit;
  }

  write(capability: string, args: SandboxValue[]): Outcome {
    if (this.#left <= 0) return done;
    const text = cut(args.map(format).join(' '));
    this.#left -= text.length + 1;
    this.#emit(capability.slice('console.'.length) as ConsoleLevel, text);
    if (this.#left <= 0) this.#emit('warn', `[console output over ${maxRunConsoleBytes} bytes dropped]`);
    return done;
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
