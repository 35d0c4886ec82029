import type { CallLocation } from './interface.ts';

/** Where a script calls a function by its name. A name in a text or a comment counts as a call, too. */
export function callsOf(source: string, name: string): CallLocation[] {
  const escaped = name.replaceAll('$', String.raw`\$`).replace('.', String.raw`\s*\??\.\s*`);
  const calls = source.matchAll(new RegExp(String.raw`(?<![\w$.])${escaped}\s*(?:\?\.\s*)?\(`, 'g'));
  return [...calls].map(({ index }) => {
    const before = source.slice(0, index).split('\n');
    return { line: before.length, column: (before.at(-1) as string).length + 1 };
  });
}

/**
 * Where the call begins that QuickJS is in. QuickJS reports the last place with an instruction of its own: inside the
 * arguments, or, if these are constants, right before the name.
 */
export function startOfCall(source: string, name: string, place: CallLocation): CallLocation {
  const calls = callsOf(source, name);
  const isUpTo = ({ line, column }: CallLocation): boolean =>
    line < place.line || (line === place.line && column <= place.column);
  const before = calls.findLast(isUpTo);
  if (before !== undefined && isOpen(textBetween(source, before, place))) return before;
  return calls.find((call) => !isUpTo(call)) ?? before ?? place;
}

function textBetween(source: string, from: CallLocation, to: CallLocation): string {
  const lines = source.split('\n').slice(from.line - 1, to.line);
  const last = lines.length - 1;
  lines[last] = (lines[last] ?? '').slice(0, to.column);
  lines[0] = (lines[0] ?? '').slice(from.column - 1);
  return lines.join('\n');
}

/** Whether a bracket is open at the end, or no bracket was opened yet. */
function isOpen(text: string): boolean {
  const opened = text.split('(').length - 1;
  return opened === 0 || opened > text.split(')').length - 1;
}
