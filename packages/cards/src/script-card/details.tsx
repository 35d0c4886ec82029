import type { ReactElement, ReactNode } from 'react';
import type { ScriptRecord } from '@mustard-sandbox/agent-tool';
import { useLanguage } from '../messages/provider.tsx';
import { Printed } from '../parts/printed.tsx';
import { oneLine } from '../text/printable.ts';

/** The names of the engines as their projects write them. */
const engineNames = { quickjs: 'QuickJS', mustardscript: 'MustardScript' };

/** The numbers of a call. Unknown numbers are left out. */
export function Details({ record }: { record: ScriptRecord }): ReactElement {
  const { t, format } = useLanguage();
  const { stats, attachmentsRead, engine, isolation, at } = record;
  const known = <T,>(value: T | undefined, show: (value: T) => string): string | undefined =>
    value === undefined ? undefined : show(value);
  const rows: [label: string, value: ReactNode, hint?: string | undefined][] = [
    [t('duration'), known(stats.durationMs, format.duration), exactMs(stats.durationMs)],
    [t('computing'), known(stats.executionMs, format.duration), exactMs(stats.executionMs)],
    [t('instructions'), known(stats.instructionsUsed, format.number)],
    [t('memory'), known(stats.heapBytesUsed, format.bytes), t('memoryHint')],
    [t('hostCalls'), known(stats.hostCalls, format.number)],
    [t('bytesRead'), known(stats.bytesRead, format.bytes)],
    [t('filesRead'), attachmentsRead && <FileNames names={attachmentsRead} />],
    [t('engine'), engine && engineNames[engine]],
    [t('isolation'), isolation && t(isolation === 'jail' ? 'isolationJail' : 'isolationProcess')],
    [t('startedAt'), <time dateTime={at}>{format.ago(new Date(at), new Date())}</time>, format.exact(new Date(at))],
  ];
  return (
    <dl className="ms-details">
      {rows.map(([label, value, hint]) =>
        value === undefined ? null : (
          <div key={label} title={hint}>
            <dt>{label}</dt>
            <dd>{value}</dd>
          </div>
        ),
      )}
    </dl>
  );
}

function FileNames({ names }: { names: readonly string[] }): ReactElement {
  const { t } = useLanguage();
  if (names.length === 0) return <>{t('noneRead')}</>;
  return (
    <ul>
      {names.map((name) => (
        <li key={name}>
          <Printed text={oneLine(name)} />
        </li>
      ))}
    </ul>
  );
}

function exactMs(ms: number | undefined): string | undefined {
  return ms === undefined ? undefined : `${ms.toFixed(3)} ms`;
}
