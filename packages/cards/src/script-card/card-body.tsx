import * as Tabs from '@radix-ui/react-tabs';
import { useLayoutEffect, useRef, useState, type ReactElement, type RefObject } from 'react';
import { useLanguage } from '../messages/provider.tsx';
import { Code } from '../parts/code.tsx';
import { hasError, isLive, isWholeScript, type Run } from '../run/run.ts';
import { Details } from './details.tsx';
import { OutputTab } from './output-tab.tsx';
import type { ScriptCardActions } from './actions.ts';

/** The inside of an open card: output, script and numbers. */
export function CardBody({ run, ...actions }: { run: Run } & ScriptCardActions): ReactElement {
  const { t } = useLanguage();
  const root = useRef<HTMLDivElement>(null);
  const location = hasError(run) && !isWholeScript(run) ? run.error.location : undefined;
  return (
    <Tabs.Root ref={root} dir={useDirection(root)} className="ms-tabs" defaultValue="output">
      <Tabs.List className="ms-tab-list" aria-label={t('script')}>
        <Tabs.Trigger value="output">{t('tabOutput')}</Tabs.Trigger>
        <Tabs.Trigger value="script">{t('tabScript')}</Tabs.Trigger>
        <Tabs.Trigger value="details">{t('tabDetails')}</Tabs.Trigger>
      </Tabs.List>
      <Tabs.Content className="ms-tab-panel" value="output">
        <OutputTab run={run} {...actions} />
      </Tabs.Content>
      <Tabs.Content className="ms-tab-panel" value="script">
        {run.script === undefined ? (
          <p className="ms-note">{t('notKnown')}</p>
        ) : (
          <Code script={run.script} label={t('tabScript')} marked={location && [location.line, location.endLine]} />
        )}
      </Tabs.Content>
      <Tabs.Content className="ms-tab-panel" value="details">
        {isLive(run) ? <p className="ms-note">{t('outputSoFar')}</p> : <Details record={run} />}
      </Tabs.Content>
    </Tabs.Root>
  );
}

/** The text direction around an element. Primitives that handle arrow keys must be told. */
function useDirection(element: RefObject<HTMLElement | null>): 'ltr' | 'rtl' {
  const [direction, setDirection] = useState<'ltr' | 'rtl'>('ltr');
  useLayoutEffect(() => {
    const around = element.current?.parentElement;
    if (around) setDirection(getComputedStyle(around).direction === 'rtl' ? 'rtl' : 'ltr');
  }, [element]);
  return direction;
}
