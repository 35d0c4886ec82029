import type { SandboxValue } from '@mustard-sandbox/client';
import { printable, printableJson } from '@mustard-sandbox/client/text';

/** A script's value as it is printed: a string as it is, objects and arrays as JSON. */
export function renderValue(value: SandboxValue, onTerminal: boolean): string {
  // A pipe or a file gets every character, because it may hold data.
  if (typeof value === 'string') return onTerminal ? printable(value) : value;
  if (typeof value === 'object' && value !== null) return printableJson(JSON.stringify(value, undefined, 2));
  return Object.is(value, -0) ? '-0' : String(value);
}
