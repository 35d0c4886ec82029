import { useMemo, useRef, useState, type ReactElement } from 'react';
import { Virtualizer } from 'virtua';
import { useLanguage } from '../messages/provider.tsx';
import { Icon } from '../parts/icons.tsx';
import { Printed } from '../parts/printed.tsx';
import { outputLine } from '../text/printable.ts';
import type { JsonValue, TableData } from './data.ts';

interface Sorting {
  column: string;
  isDescending: boolean;
}

const rowHeight = 28;
const maxCellLength = 200;

/** A table whose columns can be sorted. Only the rows on the screen are laid out. */
export function TableView({ data, label }: { data: TableData; label: string }): ReactElement {
  const { t, format } = useLanguage();
  const scroller = useRef<HTMLDivElement>(null);
  const [sorting, setSorting] = useState<Sorting>();
  const rows = useMemo(() => sorted(data.rows, sorting), [data.rows, sorting]);
  const template = useMemo(() => columnWidths(data), [data]);
  const sortBy = (column: string): void =>
    setSorting({ column, isDescending: sorting?.column === column && !sorting.isDescending });
  return (
    <>
      <div ref={scroller} className="ms-table-scroller" tabIndex={0} role="group" aria-label={label}>
        <div className="ms-table" role="table" aria-label={label} aria-rowcount={rows.length + 1}>
          <div role="rowgroup" className="ms-table-head">
            <div role="row" className="ms-table-row" aria-rowindex={1} style={{ gridTemplateColumns: template }}>
              {data.columns.map((column) => (
                <div
                  key={column}
                  role="columnheader"
                  aria-sort={ariaSort(sorting, column)}
                  className={typeof data.rows[0]?.[column] === 'number' ? 'ms-number' : undefined}
                >
                  <button
                    type="button"
                    onClick={() => sortBy(column)}
                    title={t('sortBy', { column: outputLine(column) })}
                  >
                    <Printed text={outputLine(column)} isOutput />
                    <Icon name={sorting?.column !== column ? 'sort' : sorting.isDescending ? 'down' : 'up'} />
                  </button>
                </div>
              ))}
            </div>
          </div>
          <div role="rowgroup">
            <Virtualizer scrollRef={scroller} data={rows} itemSize={rowHeight} startMargin={rowHeight}>
              {(row, index) => (
                <div
                  key={index}
                  role="row"
                  className="ms-table-row"
                  aria-rowindex={index + 2}
                  style={{ gridTemplateColumns: template }}
                >
                  {data.columns.map((column) => (
                    <Cell key={column} value={row[column]} format={format.number} />
                  ))}
                </div>
              )}
            </Virtualizer>
          </div>
        </div>
      </div>
      <p className="ms-note">{t('rows', { count: rows.length })}</p>
    </>
  );
}

function Cell({ value, format }: { value: JsonValue | undefined; format: (value: number) => string }): ReactElement {
  if (typeof value === 'number') {
    return (
      <div role="cell" className="ms-number" title={String(value)}>
        {format(value)}
      </div>
    );
  }
  const text = cellText(value);
  return (
    <div role="cell" title={text.length > 24 ? outputLine(text) : undefined}>
      <Printed text={outputLine(text)} isOutput />
    </div>
  );
}

function cellText(value: JsonValue | undefined): string {
  if (value === undefined || value === null) return '';
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.length > maxCellLength ? `${text.slice(0, maxCellLength)}…` : text;
}

function ariaSort(sorting: Sorting | undefined, column: string): 'ascending' | 'descending' | 'none' {
  if (sorting?.column !== column) return 'none';
  return sorting.isDescending ? 'descending' : 'ascending';
}

/** Sorts numbers before texts and by value, texts as people sort them, and missing values last in both directions. */
function sorted(rows: TableData['rows'], sorting: Sorting | undefined): TableData['rows'] {
  if (sorting === undefined) return rows;
  const { column, isDescending } = sorting;
  const collator = new Intl.Collator(undefined, { numeric: true });
  const compare = (a: JsonValue, b: JsonValue): number => {
    if (typeof a === 'number' && typeof b === 'number') return a - b;
    if (typeof a === 'number' || typeof b === 'number') return typeof a === 'number' ? -1 : 1;
    return collator.compare(cellText(a), cellText(b));
  };
  return rows.toSorted((one, other) => {
    const [a, b] = [one[column] ?? null, other[column] ?? null];
    if (a === null || b === null) return Number(a === null) - Number(b === null);
    return isDescending ? compare(b, a) : compare(a, b);
  });
}

/** Columns as wide as the contents of the first rows, within bounds. The last column takes the rest. */
function columnWidths({ columns, rows }: TableData): string {
  const widths = columns.map((column) => {
    const longest = rows
      .slice(0, 50)
      .reduce((most, row) => Math.max(most, cellText(row[column]).length), column.length + 2);
    return Math.min(36, Math.max(6, longest + 3));
  });
  return widths.map((width) => `minmax(${width}ch, ${width}fr)`).join(' ');
}
