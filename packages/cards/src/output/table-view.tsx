import { useDeferredValue, useMemo, useState, type ReactElement } from 'react';
import { useLanguage } from '../messages/provider.tsx';
import { RowGrid } from '../table/row-grid.tsx';
import { csvOf, rowsOf } from '../table/rows.ts';
import { TableTools } from '../table/table-tools.tsx';
import { useAsked } from '../table/use-asked.ts';
import type { TableData } from './data.ts';

/** Rows that can be searched, filtered, sorted and copied. Only the rows on the screen are laid out. */
export function TableView({ data, label }: { data: TableData; label: string }): ReactElement {
  const { t } = useLanguage();
  const { asked, ...change } = useAsked();
  const [isFiltering, setFiltering] = useState(false);
  // What is typed is shown at once, however long the rows take.
  const deferred = useDeferredValue(asked);
  const rows = useMemo(() => rowsOf(data, deferred), [data, deferred]);
  const all = data.rows.length;
  return (
    <>
      <TableTools
        search={asked.search}
        onSearch={change.search}
        isFiltering={isFiltering}
        onFiltering={(next) => {
          setFiltering(next);
          if (!next) change.clearFilters();
        }}
        csv={() => csvOf(data.columns, rows)}
      />
      <RowGrid data={data} rows={rows} label={label} asked={asked} isFiltering={isFiltering} {...change} />
      <p className="ms-note" role="status">
        {rows.length === all ? t('rows', { count: all }) : t('rowsFound', { shown: rows.length, count: all })}
      </p>
    </>
  );
}
