import type { ReactElement } from 'react';
import { useLanguage } from '../messages/provider.tsx';
import { oneLine } from '../text/printable.ts';
import type { ErrorRecord } from '../run/run.ts';

/** What a run spent its time on, the most first. */
export function Spent({ spent }: { spent: NonNullable<ErrorRecord['error']['spent']> }): ReactElement {
  const { t, format } = useLanguage();
  const parts = [
    { label: t('spentScript'), ms: spent.scriptMs },
    ...spent.calls.map(({ name, calls, ms }) => ({
      label: t('spentCalls', { name: `${oneLine(name)}()`, count: calls }),
      ms,
    })),
  ].sort((a, b) => b.ms - a.ms);
  const total = parts.reduce((sum, { ms }) => sum + ms, 0);
  return (
    <ul className="ms-spent">
      {parts.map(({ label, ms }) => (
        <li key={label} className="ms-bar">
          <span className="ms-bar-label">{label}</span>
          <span className="ms-bar-track" aria-hidden="true">
            <span className="ms-bar-fill" style={{ inlineSize: `${total === 0 ? 0 : (ms / total) * 100}%` }} />
          </span>
          <span className="ms-number">{format.duration(ms)}</span>
        </li>
      ))}
    </ul>
  );
}
