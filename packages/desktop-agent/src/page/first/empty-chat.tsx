import { oneLine } from '@mustard-sandbox/cards';
import type { ReactElement } from 'react';
import { useUi } from '../app/ui.ts';
import { setDraft } from '../composer/draft.ts';
import { Button } from '../parts/controls.tsx';
import { MissingPackages } from '../starting/missing-packages.tsx';
import { useAgent, useAgentState, useApp } from '../state/use-agent.ts';
import { texts } from '../words/texts.ts';
import { Mark } from './pictures.tsx';

/** A chat without messages. It says what one can do here, and what to do when there is no model. */
export function EmptyChat(): ReactElement {
  const agent = useAgent();
  const ui = useUi();
  const app = useApp();
  const models = useAgentState((state) => state.models);
  const hasModel = models === undefined || models.some(({ id }) => id !== 'tour');
  const write = async (text: string): Promise<void> => {
    const chat = await agent.someChat();
    if (chat === undefined) return;
    setDraft(chat.id, text);
    ui.focusComposer();
  };
  return (
    <div className="ma-scroll ma-empty-chat">
      <div className="ma-column">
        <div className="ma-empty-head">
          <Mark />
          <h2 dir="auto">{texts.emptyTitle(oneLine(app?.name ?? ''))}</h2>
          <p className="ma-quiet">{texts.emptyBody}</p>
        </div>
        {app?.git === false && <NoGit appId={app.id} />}
        {app?.git === true && <MissingPackages key={app.id} appId={app.id} />}
        {hasModel ? (
          <div className="ma-suggestions">
            {texts.suggestions.map((text) => (
              <Button key={text} icon="spark" className="ma-suggestion ma-flat" onClick={() => void write(text)}>
                {text}
              </Button>
            ))}
          </div>
        ) : (
          <NoModel />
        )}
      </div>
    </div>
  );
}

function NoModel(): ReactElement {
  const agent = useAgent();
  const ui = useUi();
  const tour = async (): Promise<void> => {
    const chat = await agent.someChat();
    if (chat === undefined) return;
    await agent.attempt(async () => {
      await agent.call('update-chat', { chatId: chat.id, model: 'tour', mode: 'agent' });
      await agent.call('chat:stream', { chatId: chat.id, text: texts.tourText, uploads: [] });
    });
  };
  return (
    <div className="ma-notice" data-kind="quiet">
      <p className="ma-strong">{texts.noModel}</p>
      <p>{texts.noModelBody}</p>
      <div className="ma-actions">
        <Button kind="primary" icon="spark" title={texts.tourHint} onClick={() => void tour()}>
          {texts.tour}
        </Button>
        <Button onClick={() => ui.openSettings('models')}>{texts.addModel}</Button>
      </div>
      <p className="ma-quiet">{texts.tourHint}</p>
    </div>
  );
}

function NoGit({ appId }: { appId: string }): ReactElement {
  const agent = useAgent();
  return (
    <div className="ma-notice" data-kind="quiet">
      <p>{texts.noGit}</p>
      <div className="ma-actions">
        <Button onClick={() => void agent.attempt(() => agent.call('init-git', { appId }))}>
          {texts.beginHistory}
        </Button>
      </div>
    </div>
  );
}
