import type { ScriptRecord } from '@mustard-sandbox/agent-tool';
import type { ReactElement } from 'react';
import { useLanguage } from '../messages/provider.tsx';
import { Icon } from '../parts/icons.tsx';
import { oneLine } from '../text/printable.ts';
import type { ScriptCardActions } from './actions.ts';

/** The files that a script has saved. They can be downloaded if the host supports that. */
export function SavedFiles({
  record: { outputs = [] },
  downloadOutput,
}: { record: ScriptRecord } & Pick<ScriptCardActions, 'downloadOutput'>): ReactElement | null {
  const { t, format } = useLanguage();
  if (outputs.length === 0) return null;
  return (
    <ul className="ms-saved" aria-label={t('savedFiles')}>
      {outputs.map(({ name, size }) => (
        <li key={name}>
          <Icon name="file" />
          <span className="ms-chip-name">{oneLine(name)}</span>
          <span className="ms-note">{format.bytes(size)}</span>
          {downloadOutput !== undefined && (
            <button
              type="button"
              className="ms-button"
              aria-label={t('downloadName', { name: oneLine(name) })}
              onClick={() => downloadOutput(name)}
            >
              {t('download')}
            </button>
          )}
        </li>
      ))}
    </ul>
  );
}
