import { printableCode } from '@mustard-sandbox/protocol';
import type { RunCall } from '@mustard-sandbox/runs';
import type { RememberedRule } from './options.ts';

const linesAround = 3;

/**
 * All arguments of a call as JSON in lines, for a person. Nothing is left out, and characters that do not print are
 * escapes.
 */
export function argumentsOf({ args }: Pick<RunCall, 'args'>): string {
  return printableCode(args.map((arg) => JSON.stringify(arg, null, 2) ?? 'undefined').join(',\n'));
}

/** The lines of a script around the one that calls a tool, with numbers and a mark, for a person. */
export function codeAt(script: string, line: number): string {
  const lines = script.split('\n');
  const from = Math.max(0, line - 1 - linesAround);
  const shown = lines.slice(from, line + linesAround);
  const width = String(from + shown.length).length;
  return shown
    .map((text, index) => {
      const number = from + index + 1;
      return `${number === line ? '>' : ' '} ${String(number).padStart(width)} | ${printableCode(text)}`.trimEnd();
    })
    .join('\n');
}

/** What an approval with `remember` would allow, in a form that follows "allows …", for a person. */
export function coverageOf(rule: unknown): string {
  const { tool, where } = rule as RememberedRule;
  if (where === undefined) return `${tool}() with the same arguments`;
  const fields = Object.entries(where).map(([path, value]) => `${path} = ${printableCode(JSON.stringify(value))}`);
  return fields.length === 0 ? `${tool}() with any arguments` : `${tool}() where ${fields.join(' and ')}`;
}
