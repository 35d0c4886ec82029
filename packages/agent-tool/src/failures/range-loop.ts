/** A loop over a file of any size; it keeps the unfinished last line of a range for the next one. */
export function rangeLoop(path: string, step: number): string {
  return `const path = ${JSON.stringify(path)};
const step = ${step};
const { size } = file_stats(path);
let count = 0;
let rest = '';
for (let start = 0; start < size; start += step) {
  const text = rest + read_file(path, { start, length: step });
  const end = start + step < size ? text.lastIndexOf('\\n') + 1 : text.length;
  rest = text.slice(end);
  count += (text.slice(0, end).match(/ERROR/g) ?? []).length;
}
count`;
}
