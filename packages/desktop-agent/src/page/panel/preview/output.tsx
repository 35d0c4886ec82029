import { Icon, Printed, useLanguage } from '@mustard-sandbox/cards';
import { useState, type ReactElement } from 'react';
import { useAgent, useAgentState } from '../../state/use-agent.ts';
import { useAsked } from '../../state/use-asked.ts';
import { texts } from '../../words/texts.ts';

/** How many characters of the output's end are shown. */
const most = 20_000;

/** The output of the dev script. It is loaded only while a person looks at it. */
export function Output({ appId, isOpen: isOpenAtFirst }: { appId: string; isOpen: boolean }): ReactElement {
  const [isOpen, setOpen] = useState(isOpenAtFirst);
  return (
    <details className="ma-preview-output" open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        <Icon name="chevron" />
        {texts.output}
      </summary>
      {isOpen && <Printing appId={appId} />}
    </details>
  );
}

function Printing({ appId }: { appId: string }): ReactElement {
  const agent = useAgent();
  const { format } = useLanguage();
  const printed = useAgentState(({ previewPrinted }) => previewPrinted);
  const command = useAgentState(({ previews }) => previews[appId]?.state);
  const { value } = useAsked(() => agent.call('read-preview-output', { appId }), [agent, appId, printed, command]);
  if (value === undefined || value.text === '') return <p className="ma-quiet">{texts.outputNone}</p>;
  const shown = value.text.slice(-most);
  const left = value.left + value.text.length - shown.length;
  return (
    <>
      {left > 0 && <p className="ma-quiet">{texts.outputLeft(format.number(left))}</p>}
      <pre className="ma-pre" dir="ltr" tabIndex={0} role="group" aria-label={texts.output}>
        <Printed text={shown.trimEnd()} />
      </pre>
    </>
  );
}
