/** Aligns the cells of all rows in columns: columns in `left` to the left, the others to the right. */
export function alignColumns(rows: readonly (readonly string[])[], left: readonly number[] = [0]): string {
  const widths: number[] = [];
  for (const row of rows) row.forEach((cell, column) => (widths[column] = Math.max(widths[column] ?? 0, cell.length)));
  const align = (cell: string, column: number): string =>
    left.includes(column) ? cell.padEnd(widths[column] as number) : cell.padStart(widths[column] as number);
  return rows.map((row) => row.map(align).join('  ').trimEnd()).join('\n');
}
