import type { ScaleOptions } from '@observablehq/plot';
import type { ChartChannel } from '@mustard-sandbox/protocol/chart';
import { boundsOf } from '../facts.ts';
import { timeText } from '../times.ts';
import { namesOf, shortName } from '../names.ts';

/** About how wide a character of a label is, in pixels, and how many a name on an axis may have. */
const characterWidth = 6.2;
const maxCharacters = 22;
const maxTurned = 13;
const turn = (40 / 180) * Math.PI;
const mostToldBy = 9;
const types = { linear: 'linear', log: 'log', time: 'utc' } as const;

/** One axis, and the room for its labels. */
interface Axis {
  scale: ScaleOptions;
  /** In pixels, from the frame to the end of the longest label. */
  room: number;
  /** How far the first label reaches to the left of the frame. */
  overhang?: number;
}

/** The names along the bottom. They are turned if they would overlap, and only every n-th is shown if there are too many. */
export function bottomAxis(channel: ChartChannel, width: number, isBand: boolean): Axis {
  if (channel.scale !== 'category') return { scale: numbersOf(channel, width), room: 0 };
  const names = namesOf(channel);
  const longest = longestOf(names);
  // A name is cut to the room that it has, if enough of it is left to recognize it.
  const fitting = Math.floor(width / names.length / characterWidth) - 1;
  const isTurned = fitting < Math.min(longest, mostToldBy);
  const ticks = everyNth(names, Math.floor(width / (isTurned ? 14 : Math.min(longest, fitting) * characterWidth)));
  return {
    scale: {
      ...bandOf(names, isBand, isTurned ? maxTurned : Math.min(maxCharacters, fitting)),
      ticks,
      label: labelOf(channel, width),
      ...(isTurned && { tickRotate: (-turn * 180) / Math.PI }),
    },
    ...(isTurned ? turnedBy(Math.min(longest, maxTurned) * characterWidth) : { room: 0 }),
  };
}

function turnedBy(length: number): { room: number; overhang: number } {
  return { room: length * Math.sin(turn), overhang: length * Math.cos(turn) + 8 };
}

/** The names beside the frame, from top to bottom. */
export function sideAxis(
  channel: ChartChannel,
  { width, height }: { width: number; height: number },
  isBand: boolean,
): Axis {
  if (channel.scale !== 'category') return { scale: { ...numbersOf(channel, width), nice: true }, room: 34 };
  const names = namesOf(channel);
  const characters = Math.max(3, Math.min(longestOf(names), Math.floor(width / 3 / characterWidth)));
  return {
    scale: {
      ...bandOf(names, isBand, characters),
      ticks: everyNth(names, Math.floor(height / 13)),
      label: labelOf(channel, height),
    },
    room: characters * characterWidth,
  };
}

function labelOf({ label }: ChartChannel, room: number): string {
  return shortName(label, Math.max(8, Math.floor(room / characterWidth)));
}

function numbersOf(channel: ChartChannel, width: number): ScaleOptions {
  const type = types[channel.scale as keyof typeof types];
  const label = labelOf(channel, width);
  const bounds = boundsOf(channel.values as (number | null)[]);
  // A chart without points still has an axis.
  if (bounds === undefined) return { type, label, domain: type === 'log' ? [1, 10] : [0, 1] };
  if (type === 'utc') return { type, label, tickFormat: timeTick };
  const ticks = type === 'log' ? powersIn(bounds) : [];
  const isLarge = type === 'log' || Math.max(...bounds.map(Math.abs)) >= 100_000;
  return { type, label, ...(ticks.length > 1 && { ticks }), ...(isLarge && { tickFormat: compact }) };
}

function compact(value: number): string {
  return new Intl.NumberFormat('en', { notation: 'compact', maximumSignificantDigits: 4 }).format(value);
}

/** The powers of ten, or every n-th of them on a long axis. Plot would add nine lines for each. */
function powersIn([min, max]: [number, number]): number[] {
  const [first, last] = [Math.ceil(Math.log10(min)), Math.floor(Math.log10(max))];
  const step = Math.ceil((last - first + 1) / 8) || 1;
  return Array.from({ length: Math.max(0, Math.floor((last - first) / step) + 1) }, (_, n) => 10 ** (first + n * step));
}

/** The time of day, or the date at midnight. */
function timeTick(time: Date): string {
  const [day = '', hours] = timeText(time.getTime()).split(' ');
  return hours ?? day;
}

function bandOf(names: string[], isBand: boolean, characters: number): ScaleOptions {
  return { type: isBand ? 'band' : 'point', domain: names, tickFormat: (name: string) => shortName(name, characters) };
}

function longestOf(names: readonly string[]): number {
  return Math.min(
    maxCharacters,
    names.reduce((most, name) => Math.max(most, name.length), 1),
  );
}

function everyNth(names: string[], room: number): string[] {
  const step = Math.ceil(names.length / Math.max(1, room));
  return step === 1 ? names : names.filter((_, index) => index % step === 0);
}
