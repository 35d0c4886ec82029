import { useId, type ReactElement } from 'react';
import { useLanguage } from '../messages/provider.tsx';
import { Icon } from '../parts/icons.tsx';
import { useCopy } from '../parts/use-copy.ts';

/** Above a table: a search in all columns, filters by column, and a copy of the rows as CSV. */
export function TableTools({
  search,
  onSearch,
  isFiltering,
  onFiltering,
  csv,
}: {
  search: string;
  onSearch: (search: string) => void;
  isFiltering: boolean;
  onFiltering: (isFiltering: boolean) => void;
  /** Made when it is copied. */
  csv: () => string;
}): ReactElement {
  const { t } = useLanguage();
  const { copy, said, isCopied } = useCopy();
  const id = useId();
  return (
    <div className="ms-table-tools">
      <label className="ms-visually-hidden" htmlFor={id}>
        {t('searchRows')}
      </label>
      <input
        id={id}
        className="ms-input"
        type="search"
        placeholder={t('searchRows')}
        value={search}
        onChange={(event) => onSearch(event.target.value)}
      />
      <button
        type="button"
        className="ms-button"
        aria-pressed={isFiltering}
        title={t('filterHint')}
        onClick={() => onFiltering(!isFiltering)}
      >
        {t('filterRows')}
      </button>
      <button type="button" className="ms-button" onClick={() => copy(csv())}>
        <Icon name={isCopied ? 'check' : 'copy'} /> {t('copyCsv')}
      </button>
      <span role="status" className="ms-visually-hidden">
        {said}
      </span>
    </div>
  );
}
