import { useEffect, useRef, type ReactElement } from 'react';
import uPlot from 'uplot';
import type { LineData } from './data.ts';

const height = 180;

/** The plot, as wide as its place. It is drawn again when the theme changes, because a canvas has no stylesheet. */
export default function LinePlot({ data }: { data: LineData }): ReactElement {
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const element = place.current;
    if (element === null) return;
    let plot: uPlot | undefined;
    let drawn = '';
    const draw = (): void => {
      const colors = colorsOf(element);
      const key = JSON.stringify([colors, element.clientWidth]);
      if (key === drawn || element.clientWidth === 0) return;
      drawn = key;
      plot?.destroy();
      plot = new uPlot(
        optionsFor(data, element.clientWidth, colors),
        [data.times, ...data.series.map((s) => s.values)],
        element,
      );
    };
    const resized = new ResizeObserver(draw);
    resized.observe(element);
    const scheme = matchMedia('(prefers-color-scheme: dark)');
    scheme.addEventListener('change', draw);
    const themed = new MutationObserver(draw);
    themed.observe(document.documentElement, {
      attributes: true,
      subtree: true,
      attributeFilter: ['data-theme', 'class'],
    });
    return () => {
      resized.disconnect();
      themed.disconnect();
      scheme.removeEventListener('change', draw);
      plot?.destroy();
    };
  }, [data]);
  return <div ref={place} className="ms-line-plot" aria-hidden="true" />;
}

interface Colors {
  text: string;
  grid: string;
  lines: string[];
}

function colorsOf(element: HTMLElement): Colors {
  // The browser computes the colours here, because the value of a custom property is only a text.
  const probe = document.createElement('i');
  element.append(probe);
  const color = (name: string): string => {
    probe.style.color = `var(${name})`;
    return getComputedStyle(probe).color;
  };
  const lines = ['--_accent-strong', '--_info', '--_success', '--_error', '--_muted'].map(color);
  const colors = { text: color('--_muted'), grid: color('--_border'), lines };
  probe.remove();
  return colors;
}

/** The time of day. At the start of a day, the date. */
function timeLabel(seconds: number): string {
  const [day, time] = new Date(seconds * 1000).toISOString().split(/[T.]/) as [string, string];
  return time === '00:00:00' ? day : time.endsWith(':00') ? time.slice(0, 5) : time;
}

function optionsFor({ series }: LineData, width: number, { text, grid, lines }: Colors): uPlot.Options {
  const axis = {
    stroke: text,
    grid: { stroke: grid, width: 1 },
    ticks: { stroke: grid, width: 1 },
    font: '11px system-ui',
  };
  return {
    width,
    height,
    // The time as it was written, and not in the zone of the reader.
    tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1e3), 'Etc/UTC'),
    legend: { show: series.length > 1, live: false },
    cursor: { y: false, drag: { x: false, y: false } },
    scales: { y: { range: (_, min, max) => [Math.min(0, min), max === min ? max + 1 : max * 1.05] } },
    series: [
      {},
      ...series.map(({ name }, index) => ({
        label: name,
        stroke: lines[index % lines.length] as string,
        width: 1.5,
        points: { show: false },
      })),
    ],
    axes: [
      { ...axis, space: 84, values: (_, splits) => splits.map(timeLabel) },
      { ...axis, size: 56 },
    ],
  };
}
