import type { ScriptRecord } from '@mustard-sandbox/agent-tool';
import { isChartName } from '@mustard-sandbox/protocol/builtins';
import { lazy, Suspense, useState, type ReactElement } from 'react';
import { useLanguage } from '../messages/provider.tsx';
import { LoadBoundary } from '../parts/load-boundary.tsx';
import { Icon } from '../parts/icons.tsx';
import { oneLine } from '../text/printable.ts';
import type { ScriptCardActions } from './actions.ts';

// Most people open no file: what shows one is loaded with the first that is opened.
const StoredTable = lazy(() => import('../table/stored-table.tsx'));

type Saved = NonNullable<ScriptRecord['outputs']>[number];

/** The files that a script has saved, to be downloaded where the host can, and those with rows to be looked at. */
export function SavedFiles({
  record: { outputs = [] },
  ...actions
}: { record: ScriptRecord } & Pick<ScriptCardActions, 'downloadOutput' | 'loadRows'>): ReactElement | null {
  const { t } = useLanguage();
  if (outputs.length === 0) return null;
  return (
    <ul className="ms-saved" aria-label={t('savedFiles')}>
      {outputs.map((saved) => (
        <SavedFile key={saved.name} saved={saved} {...actions} />
      ))}
    </ul>
  );
}

function SavedFile({
  saved: { name, size },
  downloadOutput,
  loadRows,
}: { saved: Saved } & Pick<ScriptCardActions, 'downloadOutput' | 'loadRows'>): ReactElement {
  const { t, format } = useLanguage();
  const [isOpen, setOpen] = useState(false);
  const shown = oneLine(name);
  const hasRows = /\.(?:csv|tsv|json|ndjson|jsonl)$/i.test(name) && !isChartName(name);
  return (
    <li>
      <div className="ms-saved-file">
        <Icon name="file" />
        <span className="ms-chip-name">{shown}</span>
        <span className="ms-note">{format.bytes(size)}</span>
        {hasRows && loadRows !== undefined && (
          <button
            type="button"
            className="ms-button"
            aria-expanded={isOpen}
            aria-label={t('openTableName', { name: shown })}
            onClick={() => setOpen(!isOpen)}
          >
            {t('openTable')}
          </button>
        )}
        {downloadOutput !== undefined && (
          <button
            type="button"
            className="ms-button"
            aria-label={t('downloadName', { name: shown })}
            onClick={() => downloadOutput(name)}
          >
            {t('download')}
          </button>
        )}
      </div>
      {isOpen && loadRows !== undefined && (
        <LoadBoundary fallback={<p className="ms-note">{t('tableFailed')}</p>}>
          <Suspense fallback={<div className="ms-table-space" aria-busy="true" />}>
            <StoredTable name={name} loadRows={loadRows} />
          </Suspense>
        </LoadBoundary>
      )}
    </li>
  );
}
