// What a Node program needs: a chart as the text of an SVG file, as a PNG, and as a drawing for a terminal.
export { parseChart, type Chart } from '@mustard-sandbox/protocol/chart';
export { pngOf } from './png/png.ts';
export { svgOf } from './svg/svg.ts';
export { drawInTerminal, type TerminalOptions } from './terminal/terminal.ts';
