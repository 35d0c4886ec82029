import { inspect } from 'node:util';
import type { SandboxValue } from '@mustard-sandbox/client';
import { printable } from '@mustard-sandbox/client/text';
import { hasColours, widthOf } from '../output.ts';

// oxlint-disable-next-line no-control-regex -- what inspect writes
const colour = /(\u001b\[\d+m)/;

/** A value as who asked for it wants to see it: told apart by type, and cut where it is very long. */
export function showValue(value: SandboxValue, stream: NodeJS.WriteStream): string {
  const text = inspect(value, {
    colors: hasColours(stream),
    depth: 8,
    maxArrayLength: 200,
    maxStringLength: 10_000,
    breakLength: Math.min(widthOf(stream), 120),
  });
  // inspect escapes what could drive a terminal, but not what reorders text; its own colours stay.
  return text
    .split(colour)
    .map((part, index) => (index % 2 === 1 ? part : printable(part)))
    .join('');
}
