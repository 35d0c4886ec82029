import { useEffect, useRef, useState, type ReactElement } from 'react';
import type { Preview } from '../../../shared/contract/index.ts';
import type { FromPreview } from '../../../shared/preview-messages.ts';
import { useUi, useUiState } from '../../app/ui.ts';
import { draftOf } from '../../composer/draft.ts';
import { Button } from '../../parts/controls.tsx';
import { useAgent, useAgentState } from '../../state/use-agent.ts';
import { texts } from '../../words/texts.ts';
import { Bar, type PageWidth } from './bar.tsx';
import { addIssue } from './issues.ts';
import { pickedMessage } from './messages.ts';
import { Sized } from './sized.tsx';
import { useFrame } from './use-frame.ts';
import { useOwnFocus } from './use-own-focus.ts';

/** The last path of each app, because the frame is removed while another tab of the panel is shown. */
const lastPaths = new Map<string, string>();

/**
 * The app in a frame of another origin. It may run scripts and has its own storage. It may neither navigate this page nor
 * ask for permissions in its name.
 */
export function RunningApp({ preview }: { preview: Preview }): ReactElement {
  const { appId, origin, port } = preview;
  const agent = useAgent();
  const ui = useUi();
  const [path, setPath] = useState(lastPaths.get(appId) ?? '/');
  const [width, setWidth] = useState<PageWidth>('full');
  const [isPicking, setPicking] = useState(false);
  const [hasStorage, setHasStorage] = useState(true);
  const appPath = useAgentState(({ apps }) => apps.find(({ id }) => id === appId)?.path ?? '');
  const reloads = useAgentState(({ previewReloads }) => previewReloads);
  // A dialog over the page has the keys. Only a hidden frame cannot take the focus.
  const isCovered = useAgentState(({ questions }) => questions.length > 0);
  const hasDialog = useUiState(({ dialog }) => dialog !== undefined);
  const at = useRef(path);
  const addToDraft = async (words: string): Promise<void> => {
    const chat = await agent.someChat();
    if (chat === undefined) return;
    const { text } = draftOf(chat.id).get();
    draftOf(chat.id).set({ text: `${text}${text === '' || text.endsWith('\n') ? '' : '\n'}${words}` });
    ui.focusComposer();
  };
  const take = (message: FromPreview): void => {
    if (message.type === 'at') {
      at.current = message.path;
      lastPaths.set(appId, message.path);
      setPath(message.path);
    } else if (message.type === 'issue') addIssue(appId, { ...message, path: at.current });
    else if (message.type === 'pick-ended') setPicking(false);
    else if (message.type === 'no-storage') setHasStorage(false);
    else if (message.type === 'picked') {
      setPicking(false);
      void addToDraft(pickedMessage(message, appPath));
    }
  };
  const frame = useFrame(origin, take);
  const focus = useOwnFocus(frame.ref);
  const show = (to: string): void => {
    if (frame.ref.current === null) return;
    setPicking(false);
    frame.ref.current.src = origin + to;
  };
  // Another port is another app for the person. The current path is only read here, so its changes do not load the page.
  useEffect(() => show(at.current), [origin, port, reloads]);
  const togglePicking = (): void => {
    const on = !isPicking;
    setPicking(on);
    frame.say({ type: 'pick', on });
    // The keys of picking go to the page in the frame.
    if (on) focus.goThere();
  };
  return (
    <div className="ma-preview-app">
      <Bar
        preview={preview}
        path={path}
        width={width}
        isPicking={isPicking}
        isReady={frame.isReady}
        onGo={show}
        onBack={() => frame.say({ type: 'back' })}
        onReload={() => show(at.current)}
        onWidth={setWidth}
        onPick={togglePicking}
      />
      <p className="ma-quiet ma-preview-picking" role="status">
        {isPicking ? texts.previewPicking : ''}
      </p>
      {!hasStorage && <p className="ma-quiet">{texts.previewNoStorage}</p>}
      {focus.isHidden && (
        <div className="ma-notice" data-kind="warning" role="alert">
          <p>{texts.previewHidden}</p>
          <Button onClick={focus.show}>{texts.previewShow}</Button>
        </div>
      )}
      <Sized width={width}>
        <iframe
          ref={frame.ref}
          title={texts.previewFrame}
          sandbox="allow-scripts allow-same-origin allow-forms allow-popups allow-popups-to-escape-sandbox allow-downloads"
          referrerPolicy="no-referrer"
          hidden={focus.isHidden || isCovered || hasDialog}
        />
      </Sized>
    </div>
  );
}
