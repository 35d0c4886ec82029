import { useMemo, useState, type ReactElement } from 'react';
import type { MessageKey } from '../messages/messages.ts';
import { useLanguage } from '../messages/provider.tsx';
import { Choice } from '../parts/choice.tsx';
import { BarsView } from './bars-view.tsx';
import { dataViews, type DataView } from './data.ts';
import { LineView } from './line-view.tsx';
import { TableView } from './table-view.tsx';
import { TextView } from './text-view.tsx';
import { TreeView } from './tree-view.tsx';

type Kind = DataView['kind'] | 'text';

const names: Record<Kind, MessageKey> = {
  table: 'viewTable',
  bars: 'viewBars',
  line: 'viewLine',
  tree: 'viewTree',
  text: 'viewText',
};

/** The output of a script. Data is shown as data, with a switch to plain text. */
export function OutputView({ text }: { text: string }): ReactElement {
  const { t } = useLanguage();
  const views = useMemo(() => dataViews(text), [text]);
  const [chosen, setChosen] = useState<Kind>();
  const view = chosen === 'text' ? undefined : (views.find(({ kind }) => kind === chosen) ?? views[0]);
  const kinds: Kind[] = [...views.map(({ kind }) => kind), 'text'];
  const label = t('outputOf');
  return (
    <div className="ms-output">
      {kinds.length > 1 && (
        <Choice
          label={t('viewAs')}
          options={kinds.map((kind) => ({ value: kind, label: t(names[kind]) }))}
          value={view?.kind ?? 'text'}
          onChange={setChosen}
        />
      )}
      {view === undefined ? <TextView text={text} label={label} /> : <DataOutput view={view} label={label} />}
    </div>
  );
}

function DataOutput({ view, label }: { view: DataView; label: string }): ReactElement {
  switch (view.kind) {
    case 'table':
      return <TableView data={view} label={label} />;
    case 'bars':
      return <BarsView data={view} label={label} />;
    case 'line':
      return <LineView data={view} name={label} />;
    case 'tree':
      return <TreeView value={view.value} label={label} />;
  }
}
