import {
  useDeferredValue,
  useEffect,
  useId,
  useMemo,
  useRef,
  useState,
  type KeyboardEvent,
  type ReactElement,
} from 'react';
import { Virtualizer, type VirtualizerHandle } from 'virtua';
import { useLanguage } from '../messages/provider.tsx';
import { Icon } from '../parts/icons.tsx';
import { Printed } from '../parts/printed.tsx';
import { rowHeight } from '../parts/code.tsx';
import { findAll, maxMatches } from '../text/find.ts';
import { rowsOf, type Rows } from '../text/rows.ts';

/** A text with fewer rows has no search. */
const searchableRows = 12;

/** A text of any length with a search, and a row for each line. Only the rows on the screen are laid out. */
export function TextView({ text, label }: { text: string; label: string }): ReactElement {
  const rows = useMemo(() => rowsOf(text), [text]);
  const indices = useMemo(() => Array.from({ length: rows.count }, (_, index) => index), [rows]);
  const [query, setQuery] = useState('');
  const deferred = useDeferredValue(query);
  const matches = useMemo(() => findAll(text, deferred), [text, deferred]);
  const [current, setCurrent] = useState(0);
  const list = useRef<VirtualizerHandle>(null);
  const scroller = useRef<HTMLDivElement>(null);

  useEffect(() => setCurrent(0), [matches]);
  useEffect(() => {
    const offset = matches[current];
    if (offset !== undefined) list.current?.scrollToIndex(rows.at(offset), { align: 'center' });
  }, [matches, current, rows]);

  const step = (by: number): void => {
    if (matches.length > 0) setCurrent((current + by + matches.length) % matches.length);
  };
  return (
    <div className="ms-text-view">
      {rows.count > searchableRows && (
        <Find query={query} onQuery={setQuery} count={matches.length} current={current} onStep={step} />
      )}
      <div ref={scroller} className="ms-text" dir="ltr" role="group" aria-label={label} tabIndex={0}>
        <Virtualizer ref={list} scrollRef={scroller} itemSize={rowHeight} data={indices}>
          {(row) => (
            <TextRow
              key={row}
              rows={rows}
              row={row}
              matches={matches}
              length={deferred.length}
              current={matches[current]}
            />
          )}
        </Virtualizer>
      </div>
    </div>
  );
}

function TextRow({
  rows,
  row,
  matches,
  length,
  current,
}: {
  rows: Rows;
  row: number;
  matches: readonly number[];
  length: number;
  current: number | undefined;
}): ReactElement {
  const text = rows.text(row);
  const start = rows.start(row);
  const parts: ReactElement[] = [];
  let end = 0;
  for (const match of within(matches, start - length + 1, start + text.length)) {
    const [from, to] = [Math.max(end, match - start), Math.min(text.length, match - start + length)];
    if (from > end) parts.push(<Printed key={`${end}`} text={text.slice(end, from)} isOutput />);
    parts.push(
      <mark key={`m${from}`} data-current={match === current || undefined}>
        <Printed text={text.slice(from, to)} isOutput />
      </mark>,
    );
    end = to;
  }
  return (
    <div className="ms-text-row">
      {parts}
      <Printed text={text.slice(end)} isOutput />
      {text === '' && '\u200b'}
    </div>
  );
}

/** The sorted numbers that are at least `from` and less than `to`. */
function within(sorted: readonly number[], from: number, to: number): readonly number[] {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle] as number) < from) low = middle + 1;
    else high = middle;
  }
  let end = low;
  while (end < sorted.length && (sorted[end] as number) < to) end++;
  return sorted.slice(low, end);
}

function Find({
  query,
  onQuery,
  count,
  current,
  onStep,
}: {
  query: string;
  onQuery: (query: string) => void;
  count: number;
  current: number;
  onStep: (by: number) => void;
}): ReactElement {
  const { t } = useLanguage();
  const id = useId();
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === 'Enter') {
      event.preventDefault();
      onStep(event.shiftKey ? -1 : 1);
    } else if (event.key === 'Escape' && query !== '') {
      // Escape leaves the search, and must not close the dialog around it.
      event.stopPropagation();
      event.preventDefault();
      onQuery('');
    }
  };
  const found =
    query === ''
      ? ''
      : count === 0
        ? t('findNone')
        : t(count === maxMatches ? 'findMany' : 'findCount', { index: current + 1, count });
  return (
    <div className="ms-find">
      <label htmlFor={id} className="ms-visually-hidden">
        {t('find')}
      </label>
      <input
        id={id}
        type="text"
        className="ms-input"
        placeholder={t('find')}
        value={query}
        onChange={(event) => onQuery(event.target.value)}
        onKeyDown={onKeyDown}
      />
      <span role="status" className="ms-find-count">
        {found}
      </span>
      <button type="button" className="ms-icon-button" aria-label={t('findPrevious')} onClick={() => onStep(-1)}>
        <Icon name="up" />
      </button>
      <button type="button" className="ms-icon-button" aria-label={t('findNext')} onClick={() => onStep(1)}>
        <Icon name="down" />
      </button>
    </div>
  );
}
