import { useEffect, useState, type ReactElement } from 'react';
import type { TableData } from '../output/data.ts';
import { useLanguage } from '../messages/provider.tsx';
import { oneLine } from '../text/printable.ts';
import { checkedPage, type RowsPage } from './page.ts';
import { RowGrid } from './row-grid.tsx';
import { csvOf } from './rows.ts';
import type { RowsLoader } from './rows-loader.ts';
import { TableTools } from './table-tools.tsx';
import { useAsked, type Asked } from './use-asked.ts';

/** As many as an answer of the tool has room for: see `maxOutputBytes` of the agent tool. */
const pageSize = 100;
/** Who types does not mean each letter. */
const typingMs = 250;

interface Shown extends RowsPage {
  columns: string[];
  first: number;
}

/** A table in a file of any length, of which the host gives a page at a time. */
export default function StoredTable({ name, loadRows }: { name: string; loadRows: RowsLoader }): ReactElement {
  const { t } = useLanguage();
  const { asked, ...change } = useAsked();
  const [page, setPage] = useState({ number: 0, of: asked });
  const [isFiltering, setFiltering] = useState(false);
  // What is asked anew begins with its first page.
  const number = page.of === asked ? page.number : 0;
  const { shown, problem, isLoading, retry } = useRows(name, loadRows, asked, number);
  const turnTo = (number: number) => () => setPage({ number, of: asked });
  if (shown === undefined && problem === undefined) return <div className="ms-table-space" aria-busy="true" />;
  const { columns = [], rows = [], total = 0, first = 0 } = shown ?? {};
  const data: TableData = { kind: 'table', columns, rows };
  const label = oneLine(name);
  return (
    <div className="ms-output" aria-busy={isLoading}>
      <TableTools
        search={asked.search}
        onSearch={change.search}
        isFiltering={isFiltering}
        onFiltering={(next) => {
          setFiltering(next);
          if (!next) change.clearFilters();
        }}
        csv={() => csvOf(columns, rows)}
      />
      {problem !== undefined && (
        <p className="ms-problem" role="alert">
          {t('rowsFailed')} {oneLine(problem)}{' '}
          <button type="button" className="ms-button" onClick={retry}>
            {t('tryAgain')}
          </button>
        </p>
      )}
      {columns.length > 0 && (
        <RowGrid
          key={first}
          data={data}
          rows={rows}
          label={label}
          asked={asked}
          isFiltering={isFiltering}
          first={first}
          total={total}
          {...change}
        />
      )}
      <div className="ms-table-pages">
        <span className="ms-note" role="status">
          {total === 0 ? t('noRowsFound') : t('rowsFromTo', { from: first + 1, to: first + rows.length, count: total })}
        </span>
        <button type="button" className="ms-button" disabled={number === 0} onClick={turnTo(number - 1)}>
          {t('rowsBefore')}
        </button>
        <button
          type="button"
          className="ms-button"
          disabled={(number + 1) * pageSize >= total}
          onClick={turnTo(number + 1)}
        >
          {t('rowsAfter')}
        </button>
      </div>
    </div>
  );
}

interface Loaded {
  shown?: Shown;
  problem?: string;
}

/** The page that was asked for last; the one before it stays until it is there. */
function useRows(
  name: string,
  loadRows: RowsLoader,
  asked: Asked,
  number: number,
): Loaded & { isLoading: boolean; retry: () => void } {
  const [loaded, setLoaded] = useState<Loaded>({});
  const [isLoading, setLoading] = useState(true);
  const [attempt, setAttempt] = useState(0);
  const known = loaded.shown?.columns;
  useEffect(() => {
    let isStale = false;
    const first = number * pageSize;
    const load = async (): Promise<void> => {
      setLoading(true);
      try {
        const answer = await loadRows(name, { ...asked, offset: first, limit: pageSize }, known ?? []);
        const page = checkedPage(answer, { first, limit: pageSize });
        // A page without rows has no columns to tell.
        const columns = page.rows.length > 0 || known === undefined ? columnsOf(page) : known;
        if (!isStale) setLoaded({ shown: { ...page, columns, first } });
      } catch (error) {
        const problem = error instanceof Error ? error.message : String(error);
        if (!isStale) setLoaded((before) => ({ ...before, problem }));
      }
      if (!isStale) setLoading(false);
    };
    const timer = setTimeout(() => void load(), known === undefined ? 0 : typingMs);
    return () => {
      isStale = true;
      clearTimeout(timer);
    };
    // Columns and the host's function are what they were, whoever makes them anew.
  }, [name, asked, number, attempt]);
  return { ...loaded, isLoading, retry: () => setAttempt(attempt + 1) };
}

const maxColumns = 50;

function columnsOf({ rows }: RowsPage): string[] {
  const columns = new Set<string>();
  for (const row of rows) for (const key of Object.keys(row)) columns.add(key);
  return [...columns].slice(0, maxColumns);
}
