import type { SandboxValue } from '@mustard-sandbox/protocol';
import type { BuiltinCall } from '../call.ts';

/**
 * The script that calls a function with the inputs `parallel_path` and `parallel_value`.
 *
 * @param fn the text of the function
 * @throws {SandboxError} `invalid_request` for a value that is not a function or cannot run by itself
 */
export function scriptOf(fn: SandboxValue | undefined, hasValue: boolean, call: BuiltinCall): string {
  if (typeof fn !== 'string') throw call.invalid(`parallel: the second argument must be a function, as in ${example}.`);
  const text = fn.trim();
  const problem = problemOf(text);
  if (problem !== undefined) throw call.invalid(`parallel: the function ${problem}. Write it as ${example}.`);
  const args = hasValue ? 'parallel_path, parallel_value' : 'parallel_path';
  // The names of the inputs are long, so that a variable which a function forgot to declare does not have one of them. A line
  // break follows the text, which may end in a comment.
  const wait = text.startsWith('async') ? 'await ' : '';
  return `const parallel_function = ${text}\n;${wait}parallel_function(${args})`;
}

const example = 'parallel("*.log", (path) => search(path, "ERROR", { count: true }))';

function problemOf(text: string): string | undefined {
  if (/\{\s*\[native code\]\s*\}$/.test(text)) return 'is built in or made by bind, so it has no text to run elsewhere';
  if (/^class\b/.test(text)) return 'is a class';
  if (/^(?:async\s+)?function\s*\*/.test(text)) return 'is a generator, whose values would be lost';
  const isFunction = /^(?:async\b\s*)?(?:function\b|\(|[\p{ID_Start}$_][\p{ID_Continue}$]*\s*=>)/u.test(text);
  return isFunction ? undefined : 'cannot stand alone: it is a method, an accessor, or the text of something else';
}
