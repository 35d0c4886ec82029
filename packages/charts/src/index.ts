// What a page needs: to read a chart, draw it, and show its data as a table.
export { parseChart, type Chart } from '@mustard-sandbox/protocol/chart';
export { drawChart, type DrawOptions } from './draw/draw.ts';
export type { Palette } from './draw/palette.ts';
export { factsOf, type AxisFacts, type ChartFacts } from './facts.ts';
export { legendOf, type Legend } from './legend.ts';
export { tableOf, type ChartTable } from './table.ts';
