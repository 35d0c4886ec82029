import {
  channelNames,
  lengthOf,
  type Chart,
  type ChannelName,
  type ChartChannel,
} from '@mustard-sandbox/protocol/chart';
import { namesOf, shownName } from './names.ts';
import { timeText } from './times.ts';

/** Facts about one column: its bounds, or how many different names it has. */
export interface AxisFacts {
  name: ChannelName;
  label: string;
  /** Absent for a column of names. */
  bounds?: { min: number; max: number } | { from: string; to: string };
  names?: string[];
}

/** Facts for a sentence about a chart, for people who do not see it. */
export interface ChartFacts {
  type: Chart['type'];
  title?: string;
  points: number;
  axes: AxisFacts[];
}

/** What a sentence about the chart says: its type and title, how many points it has, and the bounds of each column. */
export function factsOf(chart: Chart): ChartFacts {
  const axes = channelNames.flatMap((name) => {
    const channel = chart[name];
    return channel === undefined ? [] : [{ name, label: shownName(channel.label), ...rangeOf(channel) }];
  });
  const { type, title } = chart;
  return { type, ...(title !== undefined && { title: shownName(title) }), points: lengthOf(chart), axes };
}

function rangeOf(channel: ChartChannel): Pick<AxisFacts, 'bounds' | 'names'> {
  if (channel.scale === 'category') return { names: namesOf(channel) };
  const bounds = boundsOf(channel.values);
  if (bounds === undefined) return {};
  const [min, max] = bounds;
  return channel.scale === 'time' ? { bounds: { from: timeText(min), to: timeText(max) } } : { bounds: { min, max } };
}

/** The least and the greatest number; `undefined` when there are none. */
export function boundsOf(values: readonly (number | null)[]): [number, number] | undefined {
  let [min, max] = [Infinity, -Infinity];
  for (const value of values) {
    if (value === null) continue;
    if (value < min) min = value;
    if (value > max) max = value;
  }
  return min <= max ? [min, max] : undefined;
}
