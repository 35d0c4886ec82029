import type { Canvas, Font, Paint } from 'canvaskit-wasm';
import type { Library } from './library.ts';
import { attributesOf, numberOf, transformOf, type Look } from './look.ts';
import { drawText } from './text.ts';

/**
 * The length of a path, in characters, from which its edges are not smoothed: an area of 50,000 points that rises and
 * falls with each took 14 s, and takes 0.5 s without. So many points cover each other.
 */
const longPath = 64 * 1024;

interface Size {
  width: number;
  height: number;
}

/** Paints the elements that our drawings consist of. An element that it does not know fails, so that none is left out. */
export class Painter {
  readonly #library: Library;
  readonly #canvas: Canvas;
  readonly #size: Size;
  readonly #paint: Paint;
  readonly #font: Font;

  constructor(library: Library, canvas: Canvas, size: Size) {
    const { kit } = library;
    this.#library = library;
    this.#canvas = canvas;
    this.#size = size;
    this.#paint = new kit.Paint();
    this.#font = new kit.Font(library.regular);
    // Letters keep their widths at every size, as in a browser.
    this.#font.setSubpixel(true);
    this.#font.setLinearMetrics(true);
  }

  paint(element: Element, inherited?: Look): void {
    const look = attributesOf(element, inherited);
    this.#canvas.save();
    for (const [kind, ...given] of transformOf(element)) {
      if (kind === 'translate') this.#canvas.translate(given[0] ?? 0, given[1] ?? 0);
      else this.#canvas.rotate(given[0] ?? 0, given[1] ?? 0, given[2] ?? 0);
    }
    if (element.localName === 'svg' || element.localName === 'g') {
      for (const child of element.children) this.paint(child, look);
    } else if (element.localName === 'text') this.#text(element, look);
    else this.#shape(element, look);
    this.#canvas.restore();
  }

  [Symbol.dispose](): void {
    this.#font.delete();
    this.#paint.delete();
  }

  #shape(element: Element, look: Look): void {
    const draw = this.#drawerOf(element);
    this.#paint.setAntiAlias((element.getAttribute('d') ?? '').length < longPath);
    try {
      // Skia would draw a line with any paint; SVG never fills one.
      if (element.localName !== 'line' && this.#fill(look)) draw.on(this.#paint);
      if (this.#stroke(look)) draw.on(this.#paint);
    } finally {
      draw.end();
    }
  }

  /** What draws the shape with a paint, and what frees the shape. */
  #drawerOf(element: Element): { on: (paint: Paint) => void; end: () => void } {
    const { kit } = this.#library;
    const canvas = this.#canvas;
    const { width, height } = this.#size;
    const at = (name: string, whole = 0): number => numberOf(element.getAttribute(name), whole);
    const end = (): void => {};
    switch (element.localName) {
      case 'rect': {
        const rect = kit.XYWHRect(at('x', width), at('y', height), at('width', width), at('height', height));
        return { on: (paint) => canvas.drawRect(rect, paint), end };
      }
      case 'line':
        return { on: (paint) => canvas.drawLine(at('x1'), at('y1'), at('x2'), at('y2'), paint), end };
      case 'circle':
        return { on: (paint) => canvas.drawCircle(at('cx'), at('cy'), at('r'), paint), end };
      case 'path': {
        const data = element.getAttribute('d') ?? '';
        const path = kit.Path.MakeFromSVGString(data);
        if (path === null) throw new Error(`The drawing has a path that is none: ${data.slice(0, 80)}`);
        return { on: (paint) => canvas.drawPath(path, paint), end: () => path.delete() };
      }
      default:
        throw new Error(`The drawing has an element that a PNG cannot show: ${element.localName}`);
    }
  }

  #text(element: Element, look: Look): void {
    if (!this.#fill(look)) return;
    const { regular, bold } = this.#library;
    this.#paint.setAntiAlias(true);
    this.#font.setTypeface(look.isBold ? bold : regular);
    this.#font.setSize(look.fontSize);
    const at = (name: string): number => numberOf(element.getAttribute(name), 0, look.fontSize);
    const place = { x: at('x') + at('dx'), y: at('y') + at('dy') };
    drawText(element.textContent, place, look.anchor, {
      kit: this.#library.kit,
      canvas: this.#canvas,
      font: this.#font,
      paint: this.#paint,
    });
  }

  /** Sets the paint; `false` when there is nothing to paint. */
  #fill({ fill, fillOpacity, opacity }: Look): boolean {
    return this.#ink(fill, fillOpacity * opacity, this.#library.kit.PaintStyle.Fill);
  }

  #stroke({ stroke, strokeOpacity, opacity, strokeWidth, cap, join }: Look): boolean {
    const { PaintStyle, StrokeCap, StrokeJoin } = this.#library.kit;
    this.#paint.setStrokeWidth(strokeWidth);
    this.#paint.setStrokeCap({ butt: StrokeCap.Butt, round: StrokeCap.Round, square: StrokeCap.Square }[cap]);
    this.#paint.setStrokeJoin({ miter: StrokeJoin.Miter, round: StrokeJoin.Round, bevel: StrokeJoin.Bevel }[join]);
    return strokeWidth > 0 && this.#ink(stroke, strokeOpacity * opacity, PaintStyle.Stroke);
  }

  #ink(color: string, opacity: number, style: Parameters<Paint['setStyle']>[0]): boolean {
    if (color === 'none' || opacity <= 0) return false;
    const { kit } = this.#library;
    this.#paint.setStyle(style);
    this.#paint.setColor(kit.multiplyByAlpha(kit.parseColorString(color), opacity));
    return true;
  }
}
