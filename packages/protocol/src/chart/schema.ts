import * as z from 'zod/mini';

/** What a chart can be. */
export const chartTypes = ['line', 'area', 'bar', 'scatter', 'histogram', 'heatmap', 'box'] as const;
/** How a chart is drawn. */
export type ChartType = (typeof chartTypes)[number];

/** How an axis runs: by numbers, by their logarithms, by times, or by names. */
export const chartScales = ['linear', 'log', 'time', 'category'] as const;
/** What the values of a column are: amounts, amounts by powers of ten, times, or names. */
export type ChartScale = (typeof chartScales)[number];

/** What one chart may have. A page holds all of it, and a person shall be able to read it. */
export const chartLimits = {
  points: 50_000,
  bytes: 4 * 1024 * 1024,
  /** Different names on an axis. */
  categories: 400,
  /** Different names that have a colour each. */
  colors: 20,
  facets: 24,
  bins: 200,
  /** Of a title or a label. */
  characters: 300,
} as const;

const label = z.string().check(z.maxLength(chartLimits.characters));
const points = <T extends z.ZodMiniType>(point: T): z.ZodMiniArray<z.ZodMiniNullable<T>> =>
  z.array(z.nullable(point)).check(z.maxLength(chartLimits.points));
const names = z.strictObject({ label, scale: z.literal('category'), values: points(z.string()) });
const numbers = z.strictObject({ label, scale: z.enum(['linear', 'log', 'time']), values: points(z.number()) });
const channel = z.discriminatedUnion('scale', [names, numbers]);

/** A chart as it is kept: what is to be drawn, with its data in columns. Times are milliseconds since 1970. */
export const chartSchema = z.strictObject({
  /** Raised with every change that an older reader would not understand. */
  version: z.literal(1),
  type: z.enum(chartTypes),
  /** Stands above the drawing. */
  title: z.optional(label),
  /** Where the points are from left to right. Only a box may have none. */
  x: z.optional(channel),
  /** Where the points are from bottom to top. A histogram has none: it counts. */
  y: z.optional(channel),
  /** What the colours mean: names, or amounts in a heat map and a scatter plot. */
  color: z.optional(channel),
  /** The small chart that each point is in. */
  facet: z.optional(names),
  /** How many bars a histogram should have, about. */
  bins: z.optional(z.int().check(z.gte(1), z.lte(chartLimits.bins))),
});

/** A chart that `parseChart` has checked. */
export type Chart = z.output<typeof chartSchema>;
/** One column of a chart: what the points have in one direction, or as their colour. */
export type ChartChannel = z.output<typeof channel>;
/** What a chart has columns for. */
export const channelNames = ['x', 'y', 'color', 'facet'] as const;
/** What one column of a chart is for. */
export type ChannelName = (typeof channelNames)[number];
