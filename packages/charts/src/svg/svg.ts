import { DOMParser } from 'linkedom';
import type { Chart } from '@mustard-sandbox/protocol/chart';
import { describe } from '../describe.ts';
import { drawChart } from '../draw/draw.ts';
import { filePalette } from '../draw/palette.ts';
import { addHead } from './head.ts';

const width = 720;
/** Characters that a name may have but XML may not. All others that XML may not have are already escaped in names. */
const notInXml = /[\ufffe\uffff]/g;
const namespace = 'http://www.w3.org/2000/svg';

/** A chart as the text of an SVG file: shapes and text on white, without scripts, styles, links or anything to load. */
export function svgOf(chart: Chart): string {
  return `${elementOf(chart).outerHTML.replaceAll(notInXml, '\ufffd')}\n`;
}

/** The drawing of a file, before it is text. */
export function elementOf(chart: Chart): SVGSVGElement {
  // The document is XML, because an attribute of HTML may contain a '<', which is invalid in an SVG file.
  const document = new DOMParser().parseFromString('<svg/>', 'image/svg+xml') as unknown as Document;
  const svg = drawChart(chart, { width, palette: filePalette, label: describe(chart), document });
  svg.setAttribute('xmlns', namespace);
  svg.setAttribute('font-family', 'system-ui, sans-serif');
  svg.setAttribute('color', '#24221e');
  addHead(svg, chart, { width, palette: filePalette });
  return svg;
}
