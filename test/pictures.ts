import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { PNG } from 'pngjs';
import { expect } from 'vitest';

const folder = fileURLToPath(new URL('../docs/images/', import.meta.url));
/** Into how many fields a picture is divided each way: letters of another font differ within one. */
const fields = 24;
/** How far a field may be from the stored one on average, and at most, of 255. */
const tolerated = { mean: 6, most: 60 };
/** Other fonts have other heights. */
const toleratedHeight = 0.12;

/** The mean colour of each field. */
function fieldsOf({ width, height, data }: PNG): number[] {
  const sums = new Float64Array(fields * fields * 3);
  const counts = new Float64Array(fields * fields);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const field = Math.floor((y * fields) / height) * fields + Math.floor((x * fields) / width);
      counts[field]! += 1;
      for (let channel = 0; channel < 3; channel++) sums[field * 3 + channel]! += data[(y * width + x) * 4 + channel]!;
    }
  }
  return Array.from(sums, (sum, index) => sum / counts[Math.floor(index / 3)]!);
}

const stored = (name: string): PNG => PNG.sync.read(readFileSync(`${folder}${name}.png`));
const meanOf = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;

function differences(one: PNG, other: PNG): number[] {
  const others = fieldsOf(other);
  return fieldsOf(one).map((value, index) => Math.abs(value - others[index]!));
}

/** The picture of the docs shows what was taken, whatever its fonts. `png` is the content of a file. */
export function expectPictureOfDocs(name: string, png: Buffer): void {
  const [before, now] = [stored(name), PNG.sync.read(png)];
  expect(now.width).toBe(before.width);
  expect(Math.abs(now.height - before.height) / before.height).toBeLessThan(toleratedHeight);
  const different = differences(before, now);
  expect(meanOf(different)).toBeLessThan(tolerated.mean);
  expect(Math.max(...different)).toBeLessThan(tolerated.most);
}

/** Two pictures of the docs, such as a light and a dark one, would not be taken for each other. */
export function expectOtherPictures(one: string, other: string): void {
  expect(meanOf(differences(stored(one), stored(other)))).toBeGreaterThan(tolerated.mean);
}
