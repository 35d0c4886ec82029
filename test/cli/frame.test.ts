import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { renderFrame } from '../../packages/cli/src/frame.ts';
import { spreadOf } from '../../packages/cli/src/commands/run/measurements.ts';

/** A terminal of that width that shows no colours. */
function terminal(columns: number): NodeJS.WriteStream {
  return { isTTY: true, columns } as NodeJS.WriteStream;
}

function render(frame: string, columns: number): string {
  const { FORCE_COLOR, NO_COLOR } = process.env;
  delete process.env['FORCE_COLOR'];
  process.env['NO_COLOR'] = '1';
  try {
    return renderFrame(frame, terminal(columns));
  } finally {
    restore('FORCE_COLOR', FORCE_COLOR);
    restore('NO_COLOR', NO_COLOR);
  }
}

function restore(name: string, value: string | undefined): void {
  if (value === undefined) delete process.env[name];
  else process.env[name] = value;
}

describe('a code frame', () => {
  it('shows what does not print also where a line has no gutter', () => {
    expect(render('\x1b]0;title\x07 no gutter', 80)).toBe('   \\u{1b}]0;title\\u{7} no gutter');
  });

  const row = fc.string({ unit: fc.constantFrom('a', '|', ' ', '(', 'x'), maxLength: 110 }).map((text) => `${text}.`);

  it('fits the terminal, and marks the same characters', () => {
    fc.assert(
      fc.property(row, row, fc.integer({ min: 30, max: 200 }), fc.nat(), (before, line, columns, place) => {
        const at = place % line.length;
        const rendered = render(`1 | ${before}\n2 | ${line}\n  | ${' '.repeat(at)}^`, columns).split('\n');
        for (const text of rendered) expect(text.length).toBeLessThanOrEqual(columns);
        const mark = (rendered[2] as string).indexOf('^');
        expect(mark).toBeGreaterThan(0);
        expect((rendered[1] as string)[mark]).toBe(line[at]);
      }),
    );
  });

  it('is as it was where there is room', () => {
    const frame = '1 | const a = 1;\n2 | throw new Error("no");\n  | ^^^^^^^^^^^^^^^^^^^^^^';
    expect(render(frame, 80)).toBe(frame.replace(/^/gm, '  '));
  });

  it('keeps what comes after an empty line', () => {
    expect(render('1 |\n2 | a\n  | ^', 80)).toBe('  1 |\n  2 | a\n    | ^');
  });
});

it('a spread is of numbers that were measured, in order', () => {
  const numbers = fc.array(fc.double({ noNaN: true, min: 0, max: 1e9 }), { minLength: 1 });
  fc.assert(
    fc.property(numbers, (numbers) => {
      const { min, median, max } = spreadOf(numbers);
      for (const value of [min, median, max]) expect(numbers).toContain(value);
      expect(numbers.every((number) => number >= min && number <= max)).toBe(true);
      const notAbove = numbers.filter((number) => number <= median).length;
      const notBelow = numbers.filter((number) => number >= median).length;
      expect(Math.min(notAbove, notBelow)).toBeGreaterThanOrEqual(Math.floor(numbers.length / 2));
    }),
  );
});
