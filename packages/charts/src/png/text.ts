import type { Canvas, CanvasKit, Font, Paint } from 'canvaskit-wasm';
import type { Look } from './look.ts';

interface Tools {
  kit: CanvasKit;
  canvas: Canvas;
  font: Font;
  /** Filled, in the colour of the text. */
  paint: Paint;
}

/** Labels of axes begin or end with an arrow, which Roboto does not have: how far each is turned. */
const arrows = new Map([
  ['→', 0],
  ['↓', 90],
  ['←', 180],
  ['↑', 270],
]);
/** A line with a head, one em wide, whose middle is the origin. */
const arrow = 'M-.4,-.04H.22L.08,-.18L.14,-.24L.4,0L.14,.24L.08,.18L.22,.04H-.4Z';
const arrowWidth = 0.95;
/** From the line on which letters stand to the middle of an arrow, in em. */
const arrowHeight = 0.33;

/** Draws one line of text. */
export function drawText(
  text: string,
  { x, y }: { x: number; y: number },
  anchor: Look['anchor'],
  { kit, canvas, font, paint }: Tools,
): void {
  const size = font.getSize();
  const parts = text.split(/([←-↓])/u).filter((part) => part !== '');
  const widths = parts.map((part) => (arrows.has(part) ? arrowWidth * size : widthOf(part, font)));
  const width = widths.reduce((sum, one) => sum + one, 0);
  let from = x - width * { start: 0, middle: 0.5, end: 1 }[anchor];
  for (const [index, part] of parts.entries()) {
    const turn = arrows.get(part);
    const own = widths[index] as number;
    if (turn === undefined) canvas.drawText(part, from, y, paint, font);
    else {
      const path = kit.Path.MakeFromSVGString(arrow);
      canvas.save();
      canvas.translate(from + own / 2, y - arrowHeight * size);
      canvas.rotate(turn, 0, 0);
      canvas.scale(size, size);
      if (path !== null) canvas.drawPath(path, paint);
      canvas.restore();
      path?.delete();
    }
    from += own;
  }
}

function widthOf(text: string, font: Font): number {
  return font.getGlyphWidths(font.getGlyphIDs(text)).reduce((sum, one) => sum + one, 0);
}
