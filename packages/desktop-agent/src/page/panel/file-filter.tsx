import { useMemo, useState, type ReactElement } from 'react';
import { texts } from '../words/texts.ts';

/** A box for words, and the files whose paths have all of these words. */
export function useFileFilter<File>(files: readonly File[], pathOf: (file: File) => string): [File[], ReactElement] {
  const [filter, setFilter] = useState('');
  const found = useMemo(() => {
    const words = filter.toLowerCase().split(/\s+/).filter(Boolean);
    return files.filter((file) => words.every((word) => pathOf(file).toLowerCase().includes(word)));
  }, [files, filter, pathOf]);
  const box = (
    <input
      type="search"
      className="ms-input"
      aria-label={texts.filesFilter}
      placeholder={texts.filesFilter}
      value={filter}
      onChange={(event) => setFilter(event.target.value)}
    />
  );
  return [found, box];
}
