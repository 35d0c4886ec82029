import { drawChart, type Chart } from '@mustard-sandbox/charts';
import { useLayoutEffect, useRef, type ReactElement } from 'react';
import { palette } from './chart-colors.ts';

/** The drawing, as wide as its place; a click keeps its tooltip, and Escape or another click lets it go. */
export function ChartDrawing({
  chart,
  hidden,
  label,
}: {
  chart: Chart;
  hidden: ReadonlySet<string>;
  label: string;
}): ReactElement {
  const place = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const element = place.current;
    if (element === null) return;
    let drawnWidth = 0;
    const draw = (): void => {
      const width = Math.floor(element.clientWidth);
      if (width === drawnWidth || width === 0) return;
      drawnWidth = width;
      element.replaceChildren(drawChart(chart, { width, palette, hidden, label, isInteractive: true }));
    };
    draw();
    const resized = new ResizeObserver(draw);
    resized.observe(element);
    return () => resized.disconnect();
  }, [chart, hidden, label]);
  return <div ref={place} className="ms-chart-drawing" />;
}
