import { useRef, type ReactElement } from 'react';
import { Virtualizer } from 'virtua';
import { useLanguage } from '../messages/provider.tsx';
import { Printed } from '../parts/printed.tsx';
import { outputLine } from '../text/printable.ts';
import type { BarsData } from './data.ts';

/** A bar for each key, with its number beside it. */
export function BarsView({ data, label }: { data: BarsData; label: string }): ReactElement {
  const { t, format } = useLanguage();
  const scroller = useRef<HTMLDivElement>(null);
  const most = data.bars.reduce((max, { value }) => Math.max(max, value), 0);
  const widest = data.bars.reduce((max, { label }) => Math.max(max, label.length), 0);
  const style = { '--ms-label': `${Math.min(28, Math.max(4, widest))}ch` } as Record<string, string>;
  return (
    <>
      <div ref={scroller} className="ms-bars" role="group" aria-label={label} tabIndex={0} style={style}>
        <Virtualizer scrollRef={scroller} data={data.bars} itemSize={24} as="ul" item="li">
          {({ label, value }, index) => (
            <div key={index} className="ms-bar">
              <span className="ms-bar-label" title={label.length > 28 ? outputLine(label) : undefined}>
                <Printed text={outputLine(label) || '""'} isOutput />
              </span>
              <span className="ms-bar-track" aria-hidden="true">
                <span className="ms-bar-fill" style={{ inlineSize: `${most === 0 ? 0 : (value / most) * 100}%` }} />
              </span>
              <span className="ms-number">{format.number(value)}</span>
            </div>
          )}
        </Virtualizer>
      </div>
      <p className="ms-note">{t('bars', { count: data.bars.length })}</p>
    </>
  );
}
