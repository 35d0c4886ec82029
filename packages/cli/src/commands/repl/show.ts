import { inspect } from 'node:util';
import type { SandboxValue } from '@mustard-sandbox/client';
import { printable } from '@mustard-sandbox/protocol/text';
import { hasColours, widthOf } from '../../output.ts';

// oxlint-disable-next-line no-control-regex -- what inspect writes
const colour = /(\u001b\[\d+m)/;

/** A value for a person: strings are quoted, and a very long value is cut. */
export function showValue(value: SandboxValue, stream: NodeJS.WriteStream): string {
  const text = inspect(value, {
    colors: hasColours(stream),
    depth: 8,
    maxArrayLength: 200,
    maxStringLength: 10_000,
    breakLength: Math.min(widthOf(stream), 120),
  });
  // `inspect` escapes control characters, but not characters that reorder text. Its own colours stay.
  return text
    .split(colour)
    .map((part, index) => (index % 2 === 1 ? part : printable(part)))
    .join('');
}
