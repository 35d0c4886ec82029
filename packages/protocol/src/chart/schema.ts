import * as z from 'zod/mini';

/** What a chart can be. */
export const chartTypes = ['line', 'area', 'bar', 'scatter', 'histogram', 'heatmap', 'box'] as const;
export type ChartType = (typeof chartTypes)[number];

/** How an axis runs: by numbers, by their logarithms, by times, or by names. */
export const chartScales = ['linear', 'log', 'time', 'category'] as const;
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
  title: z.optional(label),
  x: z.optional(channel),
  y: z.optional(channel),
  color: z.optional(channel),
  facet: z.optional(names),
  /** How many bars a histogram should have, about. */
  bins: z.optional(z.int().check(z.gte(1), z.lte(chartLimits.bins))),
});

export type Chart = z.output<typeof chartSchema>;
/** One column of a chart: what the points have in one direction, or as their colour. */
export type ChartChannel = z.output<typeof channel>;
export const channelNames = ['x', 'y', 'color', 'facet'] as const;
export type ChannelName = (typeof channelNames)[number];
