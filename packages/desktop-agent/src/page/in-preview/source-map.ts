// Maps a place in the output of the dev server to the file that a person wrote.

const digits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
const maxMap = 10_000_000;

interface Place {
  url: string;
  /** Both from 1. */
  line: number;
  column: number;
}

/** The place in the source. Without an inline source map only the file is known, because lines differ. */
export async function originalPlace({ url, line, column }: Place): Promise<{ file: string; line?: number }> {
  const file = decodeURI(new URL(url).pathname).slice(1);
  try {
    const code = await (await fetch(url)).text();
    const [, encoded = ''] =
      /\/\/# sourceMappingURL=data:application\/json;(?:charset=[\w-]+;)?base64,([\w+/=]+)\s*$/.exec(
        code.slice(-maxMap),
      ) ?? [];
    const bytes = Uint8Array.from(atob(encoded), (character) => character.charCodeAt(0));
    const { mappings } = JSON.parse(new TextDecoder().decode(bytes)) as { mappings?: unknown };
    const found = typeof mappings === 'string' ? lineOf(mappings, line, column) : undefined;
    return { file, ...(found !== undefined && { line: found }) };
  } catch {
    return { file };
  }
}

/** The line of the source, from 1, of the last segment at or before a place. */
function lineOf(mappings: string, line: number, column: number): number | undefined {
  let original = 0;
  let found: number | undefined;
  const rows = mappings.split(';', line);
  for (const [index, row] of rows.entries()) {
    let at = 0;
    for (const segment of row.split(',')) {
      const [columns = 0, , lines] = decoded(segment);
      at += columns;
      if (lines === undefined) continue;
      original += lines;
      if (index === line - 1 && at < column) found = original + 1;
    }
  }
  return found;
}

/** The numbers of a segment, which source maps write in base64 with variable length. */
function decoded(segment: string): number[] {
  const numbers: number[] = [];
  let value = 0;
  let shift = 0;
  for (const character of segment) {
    const digit = digits.indexOf(character);
    value += (digit & 31) << shift;
    shift += 5;
    if (digit & 32) continue;
    numbers.push(value & 1 ? -(value >> 1) : value >> 1);
    value = 0;
    shift = 0;
  }
  return numbers;
}
