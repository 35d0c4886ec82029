import { oneLine, QuestionDialog } from '@mustard-sandbox/cards';
import type { ReactElement } from 'react';
import { useUi } from '../app/ui.ts';
import { Doing, Failed } from '../panel/git/parts.tsx';
import { useGitTask } from '../panel/git/use-git-task.ts';
import { Button } from '../parts/controls.tsx';
import { useAgent, useAgentState, useApp } from '../state/use-agent.ts';
import { texts } from '../words/texts.ts';

/** Says what is copied and where the chat goes on, and does it when that is pressed. */
export function WorkInCopyDialog(): ReactElement | null {
  const agent = useAgent();
  const ui = useUi();
  const app = useApp();
  const chat = useAgentState((state) => state.open?.chat);
  const task = useGitTask();
  const close = (): void => ui.set({ dialog: undefined });
  if (app === undefined) return null;
  const make = async (taskId: string): Promise<void> => {
    const chatId = chat?.id ?? (await agent.someChat())?.id;
    if (chatId === undefined) return;
    const copy = await agent.call('work-in-copy', { chatId, taskId });
    agent.takeApp(copy);
    close();
    agent.toast({ kind: 'info', text: texts.copyMade(oneLine(copy.name)) });
    await agent.openApp(copy.id);
    ui.focusComposer();
  };
  const actions = (
    <div className="ms-dialog-actions">
      <Button data-safe onClick={task.doing === undefined ? close : task.cancel}>
        {task.doing === undefined ? texts.close : texts.cancel}
      </Button>
      <span className="ms-spacer" />
      <Button
        kind="primary"
        icon="copy"
        whyNot={task.doing ?? (chat?.streaming === true ? texts.copyStreaming : undefined)}
        onClick={() => void task.run(texts.copyMaking, make)}
      >
        {texts.copyMake}
      </Button>
    </div>
  );
  return (
    <QuestionDialog title={texts.copyTitle(oneLine(app.name))} onEscape={close} actions={actions}>
      <div className="ma-sync">
        {task.problem !== undefined && <Failed message={task.problem.message} />}
        <p>{texts.copyBody(oneLine(chat?.title ?? texts.newChat))}</p>
        <p className="ma-quiet ma-wrap">{texts.copyPlace(oneLine(app.path))}</p>
        <p className="ma-quiet">{texts.copyBack}</p>
        <Doing task={task} />
      </div>
    </QuestionDialog>
  );
}
