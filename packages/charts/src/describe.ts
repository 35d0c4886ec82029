import type { Chart } from '@mustard-sandbox/protocol/chart';
import { factsOf, type AxisFacts } from './facts.ts';

const shownNames = 8;

/** A chart in a sentence or two, in English. */
export function describe(chart: Chart): string {
  const { type, title, points, axes } = factsOf(chart);
  const what = `${title === undefined ? '' : `${title}: `}${type} of ${points} ${points === 1 ? 'point' : 'points'}.`;
  return [what, ...axes.map(describeAxis)].join(' ');
}

function describeAxis({ name, label, bounds, names = [] }: AxisFacts): string {
  const begin = `${name} is ${label}`;
  if (bounds !== undefined) {
    return 'from' in bounds ? `${begin}, ${bounds.from} to ${bounds.to}.` : `${begin}, ${bounds.min} to ${bounds.max}.`;
  }
  const more = names.length > shownNames ? ` and ${names.length - shownNames} more` : '';
  return names.length === 0 ? `${begin}.` : `${begin}: ${names.slice(0, shownNames).join(', ')}${more}.`;
}
