import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { PNG } from 'pngjs';
import { describe, expect, test } from 'vitest';
import { pictures, takePicture } from '../../../packages/cards/gallery/pictures.mjs';
import { hasChromium, useGallery } from './support.ts';

const folder = fileURLToPath(new URL('../../../docs/images/', import.meta.url));
/** Into how many fields a picture is divided each way: letters of another font differ within one. */
const columns = 24;
/** How far a field may be from the stored one on average, and at most, of 255. */
const tolerated = { mean: 6, most: 60 };
/** Other fonts have other heights. */
const toleratedHeight = 0.12;

/** The mean colour of each field. */
function fieldsOf({ width, height, data }: PNG): number[] {
  const rows = 24;
  const sums = new Float64Array(columns * rows * 3);
  const counts = new Float64Array(columns * rows);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const field = Math.floor((y * rows) / height) * columns + Math.floor((x * columns) / width);
      counts[field]! += 1;
      for (let channel = 0; channel < 3; channel++) sums[field * 3 + channel]! += data[(y * width + x) * 4 + channel]!;
    }
  }
  return Array.from(sums, (sum, index) => sum / counts[Math.floor(index / 3)]!);
}

describe.skipIf(!hasChromium)('the pictures of docs/cards.md', () => {
  const gallery = useGallery();

  test.each(Object.keys(pictures))('%s is what the gallery shows, whatever its fonts', async (name) => {
    const stored = PNG.sync.read(readFileSync(`${folder}${name}.png`));
    const taken = PNG.sync.read(await takePicture(gallery.browser(), gallery.origin(), name));
    expect(taken.width).toBe(stored.width);
    expect(Math.abs(taken.height - stored.height) / stored.height).toBeLessThan(toleratedHeight);
    const [before, after] = [fieldsOf(stored), fieldsOf(taken)];
    const differences = before.map((value, index) => Math.abs(value - after[index]!));
    expect(differences.reduce((sum, value) => sum + value, 0) / differences.length).toBeLessThan(tolerated.mean);
    expect(Math.max(...differences)).toBeLessThan(tolerated.most);
  });

  test('a picture of the other theme would not pass', () => {
    const [light, dark] = ['cards-settings', 'cards-line'].map((name) =>
      fieldsOf(PNG.sync.read(readFileSync(`${folder}${name}.png`))),
    );
    const mean = light!.reduce((sum, value, index) => sum + Math.abs(value - dark![index]!), 0) / light!.length;
    expect(mean).toBeGreaterThan(tolerated.mean);
  });
});
