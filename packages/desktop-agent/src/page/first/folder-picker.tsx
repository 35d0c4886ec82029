import { QuestionDialog } from '@mustard-sandbox/cards';
import { useState, type ReactElement } from 'react';
import type { App } from '../../shared/contract/index.ts';
import { useUi } from '../app/ui.ts';
import { Confirm } from '../parts/confirm.tsx';
import { Button, Failure } from '../parts/controls.tsx';
import { useAgent } from '../state/use-agent.ts';
import { problemOf } from '../state/problem.ts';
import { texts } from '../words/texts.ts';
import { useFolders } from './use-folders.tsx';

/** Lets a person choose a folder of this machine, by navigating or by its path. */
export function FolderPicker(): ReactElement {
  const agent = useAgent();
  const ui = useUi();
  const folders = useFolders();
  const [problem, setProblem] = useState<string>();
  const [withoutGit, setWithoutGit] = useState<App>();
  const close = (): void => ui.set({ dialog: undefined });
  const open = async (app: App): Promise<void> => {
    close();
    await agent.openApp(app.id);
  };
  const take = async (work: () => Promise<App>): Promise<void> => {
    setWithoutGit(undefined);
    setProblem(undefined);
    try {
      const app = await work();
      agent.takeApp(app);
      if (app.git) await open(app);
      else setWithoutGit(app);
    } catch (error) {
      setProblem(problemOf(error).message);
    }
  };
  const { path } = folders;
  const shownProblem = problem ?? folders.problem;
  const foot = (
    <div className="ms-dialog-actions">
      <Button onClick={close}>{texts.cancel}</Button>
      <span className="ms-spacer" />
      <Button kind="primary" data-safe onClick={() => path !== '' && void take(() => agent.call('add-app', { path }))}>
        {texts.folderUse}
      </Button>
    </div>
  );
  return (
    <QuestionDialog title={texts.folderTitle} onEscape={close} actions={foot}>
      {shownProblem !== undefined && <Failure title={shownProblem} retry={texts.retry} />}
      {folders.view}
      {withoutGit !== undefined && (
        <Confirm
          title={texts.gitTitle}
          body={texts.gitBody}
          safe={texts.gitNo}
          onSafe={() => void open(withoutGit)}
          answers={[
            {
              label: texts.gitYes,
              kind: 'primary',
              run: () => void take(() => agent.call('init-git', { appId: withoutGit.id })),
            },
          ]}
        />
      )}
    </QuestionDialog>
  );
}
