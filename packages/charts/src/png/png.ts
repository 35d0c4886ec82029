import type { Chart } from '@mustard-sandbox/protocol/chart';
import { elementOf } from '../svg/svg.ts';
import { forgetLibrary, library, type Library } from './library.ts';
import { Painter } from './painter.ts';

/** Pixels for one of the SVG, as screens with a high density have, and as models need to read small letters. */
const density = 2;
/** The most pixels in each direction. A greater drawing is made smaller, so one image never takes more than 64 MiB. */
const maxSide = 4096;

/**
 * A chart as a PNG on white: what `svgOf` draws, at twice its size, and at most 4096 pixels wide and high. Letters are
 * Latin, Greek and Cyrillic; each other letter is a box.
 *
 * @throws {SandboxError} `invalid_request` when the optional libraries are not installed
 */
export async function pngOf(chart: Chart): Promise<Uint8Array> {
  const loaded = await library();
  const svg = elementOf(chart);
  try {
    return encoded(svg, loaded);
  } catch (error) {
    forgetLibrary();
    throw error;
  }
}

function encoded(svg: SVGSVGElement, loaded: Library): Uint8Array {
  const { kit } = loaded;
  const [width, height] = ['width', 'height'].map((name) => Number(svg.getAttribute(name))) as [number, number];
  const scale = Math.min(density, maxSide / width, maxSide / height);
  const pixels = (side: number): number => Math.min(maxSide, Math.ceil(side * scale));
  const surface = kit.MakeSurface(pixels(width), pixels(height));
  if (surface === null) throw new Error(`There is no memory for a drawing of ${width} by ${height}.`);
  try {
    const canvas = surface.getCanvas();
    canvas.clear(kit.WHITE);
    canvas.scale(scale, scale);
    using painter = new Painter(loaded, canvas, { width, height });
    painter.paint(svg);
    surface.flush();
    const image = surface.makeImageSnapshot();
    try {
      const bytes = image.encodeToBytes();
      if (bytes === null) throw new Error('The drawing could not be encoded.');
      return bytes;
    } finally {
      image.delete();
    }
  } finally {
    surface.dispose();
  }
}
