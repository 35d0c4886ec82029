import type { RowsRequest } from '@mustard-sandbox/protocol/rows';
import { useCallback, useMemo, useState } from 'react';

/** What a person asks of the rows of a table. */
export interface Asked {
  search: string;
  filters: Record<string, string>;
  sorting?: RowsRequest['sorting'];
}

export interface AskedChange {
  search: (search: string) => void;
  filter: (column: string, written: string) => void;
  clearFilters: () => void;
  /** Up, and at the next time down. */
  sortBy: (column: string) => void;
}

export function useAsked(): { asked: Asked } & AskedChange {
  // A null prototype: a column may be called __proto__.
  const [asked, setAsked] = useState<Asked>({ search: '', filters: Object.create(null) as Record<string, string> });
  const search = useCallback((search: string) => setAsked((before) => ({ ...before, search })), []);
  const filter = useCallback(
    (column: string, written: string) =>
      setAsked((before) => {
        const filters = Object.assign(Object.create(null) as Record<string, string>, before.filters);
        filters[column] = written;
        return { ...before, filters };
      }),
    [],
  );
  const clearFilters = useCallback(
    () => setAsked((before) => ({ ...before, filters: Object.create(null) as Record<string, string> })),
    [],
  );
  const sortBy = useCallback(
    (column: string) =>
      setAsked((before) => ({
        ...before,
        sorting: { column, isDescending: before.sorting?.column === column && !before.sorting.isDescending },
      })),
    [],
  );
  return useMemo(
    () => ({ asked, search, filter, clearFilters, sortBy }),
    [asked, search, filter, clearFilters, sortBy],
  );
}
