import { constants } from 'node:fs';
import { open, writeFile } from 'node:fs/promises';
import type { SavedOutput } from '@mustard-sandbox/client';
import { isChartName, messageOf } from '@mustard-sandbox/protocol';
import { hasColours, widthOf } from '../../output.ts';

/** What became of a chart that a script has kept: a drawing of it beside its file, and one for the terminal. */
export interface DrawnChart {
  /** Of the chart's own file. */
  name: string;
  /** The SVG, or why there is none. */
  svg?: string;
  problem?: string;
  /** In characters. */
  drawing?: string;
}

/** How wide a drawing is where no terminal says it. */
const plainWidth = 80;

/**
 * Draws the charts among the files that a script has kept. The library that draws is loaded for the first one.
 *
 * @param stream where the drawings will go
 */
export async function drawCharts(
  outputs: readonly SavedOutput[] = [],
  stream: NodeJS.WriteStream = process.stderr,
): Promise<DrawnChart[]> {
  const width = widthOf(stream);
  const look = { columns: width === Infinity ? plainWidth : width, hasColors: hasColours(stream) };
  const drawn: DrawnChart[] = [];
  for (const output of outputs) if (isChartName(output.name)) drawn.push(await drawChart(output, look));
  return drawn;
}

async function drawChart(
  { name, path }: SavedOutput,
  look: { columns: number; hasColors: boolean },
): Promise<DrawnChart> {
  try {
    const { drawInTerminal, parseChart, svgOf } = await import('@mustard-sandbox/charts/files');
    const chart = parseChart(await readKept(path));
    return { name, svg: await writeBeside(path, svgOf(chart)), drawing: drawInTerminal(chart, look) };
  } catch (error) {
    return { name, problem: messageOf(error) };
  }
}

/** What was kept is a file: whoever may write into the folder may have put a link in its place. */
async function readKept(path: string): Promise<string> {
  await using file = await open(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0));
  return await file.readFile('utf8');
}

/** @returns the path of the new file: none that is there is replaced */
async function writeBeside(path: string, svg: string): Promise<string> {
  const stem = path.replace(/\.json$/, '');
  for (let number = 1; ; number++) {
    const free = number === 1 ? `${stem}.svg` : `${stem}-${number}.svg`;
    try {
      await writeFile(free, svg, { flag: 'wx' });
      return free;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST' || number === 10_000) throw error;
    }
  }
}
