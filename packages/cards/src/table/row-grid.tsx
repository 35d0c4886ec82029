import { useMemo, useRef, type ReactElement } from 'react';
import { Virtualizer } from 'virtua';
import { useLanguage } from '../messages/provider.tsx';
import { Icon } from '../parts/icons.tsx';
import { Printed } from '../parts/printed.tsx';
import type { JsonValue, TableData } from '../output/data.ts';
import { outputLine } from '../text/printable.ts';
import { cellText } from './rows.ts';
import type { Asked, AskedChange } from './use-asked.ts';

const rowHeight = 28;
const maxCellLength = 200;

/** Rows under columns that can be sorted by. Only the rows on the screen are laid out. */
export function RowGrid({
  data,
  rows,
  label,
  asked: { sorting, filters },
  isFiltering,
  sortBy,
  filter,
  first = 0,
  total = rows.length,
}: {
  data: TableData;
  rows: readonly TableData['rows'][number][];
  label: string;
  asked: Asked;
  isFiltering: boolean;
  /** Of the first row among all, from 0, and how many there are. */
  first?: number;
  total?: number;
} & Pick<AskedChange, 'sortBy' | 'filter'>): ReactElement {
  const { t, format } = useLanguage();
  const scroller = useRef<HTMLDivElement>(null);
  const template = useMemo(() => columnWidths(data), [data]);
  const style = { gridTemplateColumns: template };
  const heads = isFiltering ? 2 : 1;
  return (
    <div ref={scroller} className="ms-table-scroller" tabIndex={0} role="group" aria-label={label}>
      <div className="ms-table" role="table" aria-label={label} aria-rowcount={total + 1}>
        <div role="rowgroup" className="ms-table-head">
          <div role="row" className="ms-table-row" aria-rowindex={1} style={style}>
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
          {isFiltering && (
            <div className="ms-table-row ms-table-filters" role="presentation" style={style}>
              {data.columns.map((column) => (
                <div key={column}>
                  <input
                    className="ms-input"
                    aria-label={t('filterOf', { column: outputLine(column) })}
                    title={t('filterHint')}
                    value={filters[column] ?? ''}
                    onChange={(event) => filter(column, event.target.value)}
                  />
                </div>
              ))}
            </div>
          )}
        </div>
        <div role="rowgroup">
          {rows.length === 0 && <p className="ms-note ms-table-none">{t('noRowsFound')}</p>}
          <Virtualizer scrollRef={scroller} data={rows} itemSize={rowHeight} startMargin={rowHeight * heads}>
            {(row, index) => (
              <div key={index} role="row" className="ms-table-row" aria-rowindex={first + index + 2} style={style}>
                {data.columns.map((column) => (
                  <Cell key={column} value={row[column]} format={format.number} />
                ))}
              </div>
            )}
          </Virtualizer>
        </div>
      </div>
    </div>
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
  const text = shortText(value);
  return (
    <div role="cell" title={text.length > 24 ? outputLine(text) : undefined}>
      <Printed text={outputLine(text)} isOutput />
    </div>
  );
}

function shortText(value: JsonValue | undefined): string {
  const text = cellText(value);
  return text.length > maxCellLength ? `${text.slice(0, maxCellLength)}…` : text;
}

function ariaSort(sorting: Asked['sorting'], column: string): 'ascending' | 'descending' | 'none' {
  if (sorting?.column !== column) return 'none';
  return sorting.isDescending ? 'descending' : 'ascending';
}

/** As wide as what the first rows hold, within bounds; the last column takes the rest. */
function columnWidths({ columns, rows }: TableData): string {
  const widths = columns.map((column) => {
    const longest = rows
      .slice(0, 50)
      .reduce((most, row) => Math.max(most, shortText(row[column]).length), column.length + 2);
    return Math.min(36, Math.max(6, longest + 3));
  });
  return widths.map((width) => `minmax(${width}ch, ${width}fr)`).join(' ');
}
