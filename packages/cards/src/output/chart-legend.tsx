import type { Legend } from '@mustard-sandbox/charts';
import type { ReactElement } from 'react';
import { useLanguage } from '../messages/provider.tsx';
import { Printed } from '../parts/printed.tsx';
import { rampColors, seriesColors } from './chart-colors.ts';

/** What the colours stand for. A name is a button that hides what has its colour, and shows it again. */
export function ChartLegend({
  legend,
  hidden,
  onChange,
}: {
  legend: Legend;
  hidden: ReadonlySet<string>;
  onChange: (hidden: ReadonlySet<string>) => void;
}): ReactElement {
  const { t, format } = useLanguage();
  if (!('names' in legend)) {
    return (
      <p className="ms-chart-ramp">
        <Printed text={legend.label} isOutput />
        <span className="ms-number">{format.number(legend.min)}</span>
        <span className="ms-chart-steps" aria-hidden="true">
          {rampColors.map((color) => (
            <span key={color} style={{ background: color }} />
          ))}
        </span>
        <span className="ms-number">{format.number(legend.max)}</span>
      </p>
    );
  }
  const toggle = (name: string): void => {
    const next = new Set(hidden);
    if (!next.delete(name)) next.add(name);
    onChange(next);
  };
  return (
    <ul className="ms-chart-legend" aria-label={t('chartLegend', { name: legend.label })}>
      {legend.names.map((name, index) => (
        <li key={name}>
          <button type="button" aria-pressed={!hidden.has(name)} title={name} onClick={() => toggle(name)}>
            <span className="ms-chart-key" style={{ background: seriesColors[index] }} aria-hidden="true" />
            <span className="ms-chart-name">
              <Printed text={name || '""'} isOutput />
            </span>
          </button>
        </li>
      ))}
    </ul>
  );
}
