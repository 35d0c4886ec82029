import { constants } from 'node:fs';
import { open, writeFile } from 'node:fs/promises';
import type { SavedOutput } from '@mustard-sandbox/client';
import { isChartName, messageOf } from '@mustard-sandbox/protocol';
import { hasColours, widthOf } from '../../output.ts';
import { graphicsOf, imageIn, type Graphics } from './graphics.ts';

/** What became of a chart that a script has kept: drawings of it beside its file, and one for the terminal. */
export interface DrawnChart {
  /** Of the chart's own file. */
  name: string;
  svg?: string;
  png?: string;
  /** Why there is no drawing, or no PNG. */
  problem?: string;
  /** What shows it in the terminal: characters, or an image in the terminal's own protocol. */
  drawing?: string;
}

interface Look {
  columns: number;
  hasColors: boolean;
  graphics: Graphics;
}

/** How wide a drawing is where no terminal says it. */
const plainWidth = 80;

/**
 * Draws the charts among the files that a script has kept. The library that draws is loaded for the first one.
 *
 * @param graphics how the terminal shows them: the value of `--graphics`
 * @param stream where the drawings will go
 */
export async function drawCharts(
  outputs: readonly SavedOutput[] = [],
  graphics = 'auto',
  stream: NodeJS.WriteStream = process.stderr,
): Promise<DrawnChart[]> {
  const width = widthOf(stream);
  const look = {
    columns: width === Infinity ? plainWidth : width,
    hasColors: hasColours(stream),
    graphics: graphicsOf(graphics, stream.isTTY, process.env),
  };
  const drawn: DrawnChart[] = [];
  for (const output of outputs) if (isChartName(output.name)) drawn.push(await drawChart(output, look));
  return drawn;
}

async function drawChart({ name, path }: SavedOutput, look: Look): Promise<DrawnChart> {
  const drawn: DrawnChart = { name };
  try {
    const { drawInTerminal, parseChart, pngOf, svgOf } = await import('@mustard-sandbox/charts/files');
    const chart = parseChart(await readKept(path));
    drawn.svg = await writeBeside(path, 'svg', svgOf(chart));
    if (look.graphics !== 'none') drawn.drawing = drawInTerminal(chart, look);
    const png = await pngOf(chart);
    drawn.png = await writeBeside(path, 'png', png);
    if (look.graphics === 'kitty' || look.graphics === 'iterm')
      drawn.drawing = imageIn(look.graphics, png, look.columns);
  } catch (error) {
    drawn.problem = messageOf(error);
  }
  return drawn;
}

/** Whoever may write into the folder may have put a link in the place of what was kept, or a pipe that nobody writes. */
async function readKept(path: string): Promise<string> {
  const flags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);
  await using file = await open(path, flags);
  if (!(await file.stat()).isFile()) throw new Error('It is no file by now.');
  return await file.readFile('utf8');
}

/** @returns the path of the new file: none that is there is replaced */
async function writeBeside(path: string, ending: string, content: string | Uint8Array): Promise<string> {
  const stem = path.replace(/\.json$/, '');
  for (let number = 1; ; number++) {
    const free = number === 1 ? `${stem}.${ending}` : `${stem}-${number}.${ending}`;
    try {
      await writeFile(free, content, { flag: 'wx' });
      return free;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST' || number === 10_000) throw error;
    }
  }
}
