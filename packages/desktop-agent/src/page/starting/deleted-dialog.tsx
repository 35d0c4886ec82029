import { oneLine, QuestionDialog } from '@mustard-sandbox/cards';
import { useState, type ReactElement } from 'react';
import type { DeletedApp } from '../../shared/contract/index.ts';
import { useUi } from '../app/ui.ts';
import { Confirm } from '../parts/confirm.tsx';
import { Button, Empty, Failure, Skeleton } from '../parts/controls.tsx';
import { Time } from '../parts/time.tsx';
import { problemOf } from '../state/problem.ts';
import { useAgent } from '../state/use-agent.ts';
import { useAsked } from '../state/use-asked.ts';
import { texts } from '../words/texts.ts';

/** The deleted apps. Each can be taken back, or removed for good. */
export function DeletedDialog(): ReactElement {
  const agent = useAgent();
  const ui = useUi();
  const asked = useAsked(() => agent.call('list-deleted-apps', {}), [agent]);
  const [removed, setRemoved] = useState<DeletedApp>();
  const [problem, setProblem] = useState<string>();
  const close = (): void => ui.set({ dialog: undefined });
  const attempt = async (work: () => Promise<void>): Promise<void> => {
    setProblem(undefined);
    try {
      await work();
    } catch (error) {
      setProblem(problemOf(error).message);
    }
  };
  const takeBack = async ({ id }: DeletedApp): Promise<void> => {
    agent.takeApp(await agent.call('restore-app', { appId: id }));
    close();
    await agent.openApp(id);
  };
  const purge = async ({ id }: DeletedApp): Promise<void> => {
    setRemoved(undefined);
    await agent.call('purge-app', { appId: id }).finally(asked.again);
  };
  const foot = (
    <div className="ms-dialog-actions">
      <span className="ms-spacer" />
      <Button data-safe onClick={close}>
        {texts.close}
      </Button>
    </div>
  );
  const shownProblem = problem ?? asked.problem?.message;
  return (
    <QuestionDialog title={texts.deletedApps} onEscape={close} actions={foot}>
      {shownProblem !== undefined && <Failure title={shownProblem} retry={texts.retry} />}
      {asked.value === undefined && asked.isAsking && <Skeleton lines={3} label={texts.loading} />}
      {asked.value?.length === 0 && <Empty title={texts.deletedNone}>{texts.deletedNoneHint}</Empty>}
      <ul className="ma-deleted">
        {asked.value?.map((app) => (
          <Row
            key={app.id}
            app={app}
            onTakeBack={() => void attempt(() => takeBack(app))}
            onRemove={() => setRemoved(app)}
          />
        ))}
      </ul>
      {removed !== undefined && (
        <Confirm
          title={texts.removeForGoodTitle(oneLine(removed.name))}
          body={texts.removeForGoodBody(oneLine(removed.path))}
          onSafe={() => setRemoved(undefined)}
          answers={[{ label: texts.removeForGood, kind: 'danger', run: () => void attempt(() => purge(removed)) }]}
        />
      )}
    </QuestionDialog>
  );
}

function Row({
  app,
  onTakeBack,
  onRemove,
}: {
  app: DeletedApp;
  onTakeBack: () => void;
  onRemove: () => void;
}): ReactElement {
  return (
    <li>
      <p className="ma-wrap">
        <span className="ma-strong" dir="auto">
          {oneLine(app.name)}
        </span>{' '}
        <Time at={app.deletedAt} />
      </p>
      <p className="ma-quiet ma-wrap" dir="auto">
        {texts.deletedFrom(oneLine(app.from))}
      </p>
      <div className="ma-actions">
        <Button icon="undo" onClick={onTakeBack}>
          {texts.takeBack}
        </Button>
        <Button className="ma-flat" icon="trash" onClick={onRemove}>
          {texts.removeForGood}
        </Button>
      </div>
    </li>
  );
}
