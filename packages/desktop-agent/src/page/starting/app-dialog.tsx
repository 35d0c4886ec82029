import { oneLine, QuestionDialog } from '@mustard-sandbox/cards';
import { useState, type FormEvent, type ReactElement, type ReactNode } from 'react';
import type { App } from '../../shared/contract/index.ts';
import { useUi } from '../app/ui.ts';
import { appOf } from '../copies/of-app.ts';
import { Button, Failure } from '../parts/controls.tsx';
import type { Agent } from '../state/page-agent.ts';
import { problemOf } from '../state/problem.ts';
import { useAgent, useAgentState, useApp } from '../state/use-agent.ts';
import { texts } from '../words/texts.ts';

/** How long the message about a deletion stays, in ms. A deleted app can also be taken back later. */
const toldMs = 30_000;

/** Renames, copies or deletes the open app. */
export function AppDialog(): ReactElement | null {
  const app = useApp();
  const ui = useUi();
  const close = (): void => ui.set({ dialog: undefined });
  if (app === undefined) return null;
  const foot = (
    <div className="ms-dialog-actions">
      <Button className="ma-flat" icon="trash" onClick={() => ui.set({ dialog: 'deleted' })}>
        {texts.deletedApps}
      </Button>
      <span className="ms-spacer" />
      <Button data-safe onClick={close}>
        {texts.close}
      </Button>
    </div>
  );
  return (
    <QuestionDialog title={texts.appTitle(oneLine(app.name))} onEscape={close} actions={foot}>
      <Sections key={app.id} app={app} onDone={close} />
    </QuestionDialog>
  );
}

function Sections({ app, onDone }: { app: App; onDone: () => void }): ReactElement {
  const agent = useAgent();
  const source = appOf(
    app,
    useAgentState((state) => state.apps),
  );
  const [name, setName] = useState(app.name);
  const [copy, setCopy] = useState(`${app.path.split(/[/\\]/).at(-1) ?? app.name} copy`);
  const [doing, setDoing] = useState<string>();
  const [problem, setProblem] = useState<string>();
  const attempt = async (what: string, work: () => Promise<void>): Promise<void> => {
    setProblem(undefined);
    setDoing(what);
    try {
      await work();
      onDone();
    } catch (error) {
      setProblem(problemOf(error).message);
      setDoing(undefined);
    }
  };
  const rename = async (): Promise<void> => agent.takeApp(await agent.call('rename-app', { appId: app.id, name }));
  const duplicate = async (): Promise<void> => {
    const made = await agent.call('copy-app', { appId: app.id, name: copy });
    agent.takeApp(made);
    agent.toast({ kind: 'info', text: texts.appCopied(made.name) });
    await agent.openApp(made.id);
  };
  return (
    <>
      {problem !== undefined && <Failure title={problem} retry={texts.retry} />}
      <Named
        label={texts.appName}
        hint={texts.appNameHint}
        value={name}
        onValue={setName}
        onSubmit={() => void attempt(texts.appDoing, rename)}
      >
        <Button type="submit">{texts.appRename}</Button>
      </Named>
      <Named
        label={texts.appCopy}
        hint={doing === texts.appCopying ? texts.appCopying : texts.appCopyHint}
        value={copy}
        onValue={setCopy}
        onSubmit={() => void attempt(texts.appCopying, duplicate)}
      >
        <Button type="submit" icon="copy" whyNot={doing}>
          {texts.appCopyDo}
        </Button>
      </Named>
      <div className="ma-field">
        <span>{texts.appDelete}</span>
        <p className="ma-quiet ma-wrap" dir="auto">
          {texts.appDeleteHint(oneLine(app.path))}
          {source !== undefined && ` ${texts.copyDelete(oneLine(source.name))}`}
        </p>
        <div className="ma-actions">
          <Button
            kind="danger"
            icon="trash"
            whyNot={doing}
            onClick={() => void attempt(texts.appDoing, () => deleteApp(agent, app))}
          >
            {texts.appDeleteDo}
          </Button>
        </div>
      </div>
    </>
  );
}

function Named({
  label,
  hint,
  value,
  onValue,
  onSubmit,
  children,
}: {
  label: string;
  hint: string;
  value: string;
  onValue: (value: string) => void;
  onSubmit: () => void;
  children: ReactNode;
}): ReactElement {
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    onSubmit();
  };
  return (
    <form className="ma-field" onSubmit={submit}>
      <label className="ma-field">
        <span>{label}</span>
        <input
          className="ms-input"
          dir="auto"
          spellCheck={false}
          maxLength={100}
          value={value}
          onChange={(event) => onValue(event.target.value)}
        />
      </label>
      <div className="ma-actions">
        {children}
        <span className="ma-quiet">{hint}</span>
      </div>
    </form>
  );
}

/** @throws {AgentError} when the app could not be deleted */
export async function deleteApp(agent: Agent, app: App): Promise<void> {
  await agent.call('delete-app', { appId: app.id });
  const restore = async (): Promise<void> => {
    agent.takeApp(await agent.call('restore-app', { appId: app.id }));
    await agent.openApp(app.id);
  };
  agent.toast({
    kind: 'info',
    text: texts.appDeleted(app.name),
    until: Date.now() + toldMs,
    action: { label: texts.undo, run: () => void agent.attempt(restore) },
  });
}
