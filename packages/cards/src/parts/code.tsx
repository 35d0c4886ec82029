import { useMemo, useRef, type ReactElement } from 'react';
import { Virtualizer } from 'virtua';
import { highlightLines, plainLines } from '../text/highlight.ts';
import { Printed } from './printed.tsx';

/** The height of a row, in CSS pixels; the stylesheet has the same. */
export const rowHeight = 16;

/**
 * A script with its line numbers. `marked` are the first and the last line of the failing code. `wrap` shows the ends
 * of long lines. `plain` is for text that is not a script.
 */
export function Code({
  script,
  label,
  marked,
  lines,
  wrap = false,
  plain = false,
}: {
  script: string;
  label: string;
  marked?: readonly [from: number, to: number] | undefined;
  /** Shows only these lines. */
  lines?: readonly [from: number, to: number] | undefined;
  wrap?: boolean;
  plain?: boolean;
}): ReactElement {
  const scroller = useRef<HTMLDivElement>(null);
  const all = useMemo(() => (plain ? plainLines(script) : highlightLines(script)), [script, plain]);
  const [first, last] = [Math.max(1, lines?.[0] ?? 1), Math.min(all.length, lines?.[1] ?? all.length)];
  const digits = String(last).length;
  const shown = all.slice(first - 1, last);
  return (
    <div
      ref={scroller}
      className="ms-code"
      data-wrap={wrap || undefined}
      dir="ltr"
      role="group"
      aria-label={label}
      tabIndex={0}
    >
      <Virtualizer scrollRef={scroller} data={shown} itemSize={rowHeight}>
        {(tokens, index) => {
          const number = first + index;
          const isMarked = marked !== undefined && number >= marked[0] && number <= marked[1];
          return (
            <div key={number} className="ms-code-line" data-marked={isMarked || undefined}>
              <span className="ms-line-number" style={{ minInlineSize: `${digits}ch` }}>
                {number}
              </span>
              <code>
                {tokens.map(({ kind, text }, part) => (
                  <span key={part} className={`ms-token-${kind}`}>
                    <Printed text={text} />
                  </span>
                ))}
              </code>
            </div>
          );
        }}
      </Virtualizer>
    </div>
  );
}
