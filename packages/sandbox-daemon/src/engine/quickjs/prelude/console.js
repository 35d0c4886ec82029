// The console. A call past the bounds of a run costs next to nothing, because the sidecar counts: see
// server/console.ts.
import { ask } from './host.js';
import { encodeArguments } from './values.js';

/** @param {readonly string[]} given such as `console.log` */
export function consoleFunctions(given) {
  const console = {};
  const write =
    (level) =>
    (...args) => {
      ask(`console.${level}`, encodeArguments(args.map(shown)));
    };
  for (const level of ['log', 'warn', 'error']) if (given.includes(`console.${level}`)) console[level] = write(level);
  // Models use these functions in place of the others.
  for (const [name, level] of [
    ['info', 'log'],
    ['debug', 'log'],
    ['table', 'log'],
    ['dir', 'log'],
    ['trace', 'error'],
  ]) {
    if (console[level] !== undefined) console[name] = console[level];
  }
  return console;
}

/** A value that cannot leave becomes a text, because a line for a person must not end the script. */
function shown(value) {
  if (typeof value === 'string') return value;
  if (typeof value === 'function') return `[Function: ${value.name}]`;
  if (typeof value === 'symbol') return String(value);
  if (typeof value === 'bigint') return `${value}n`;
  if (value instanceof Error) return `${value.name}: ${value.message}`;
  try {
    encodeArguments([value]);
    return value;
  } catch {
    return Object.prototype.toString.call(value);
  }
}
