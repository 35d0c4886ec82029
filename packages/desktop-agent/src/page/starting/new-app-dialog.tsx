import { oneLine, QuestionDialog } from '@mustard-sandbox/cards';
import { useId, useState, type ReactElement } from 'react';
import { templateName, type TemplateName } from '../../shared/contract/index.ts';
import { useUi } from '../app/ui.ts';
import { useFolders } from '../first/use-folders.tsx';
import { Button, Failure } from '../parts/controls.tsx';
import { problemOf } from '../state/problem.ts';
import { useAgent, useApp } from '../state/use-agent.ts';
import { texts } from '../words/texts.ts';

/** Makes an app from a template, beside the open app. */
export function NewAppDialog(): ReactElement {
  const agent = useAgent();
  const ui = useUi();
  const app = useApp();
  const [template, setTemplate] = useState<TemplateName>('vite-react');
  const [name, setName] = useState('');
  const folders = useFolders(folderAround(app?.path));
  const [problem, setProblem] = useState<string>();
  const [isMaking, setMaking] = useState(false);
  const id = useId();
  const close = (): void => ui.set({ dialog: undefined });
  const make = async (): Promise<void> => {
    setMaking(true);
    setProblem(undefined);
    try {
      const made = await agent.call('create-app', { template, name, parent: folders.path });
      agent.takeApp(made);
      close();
      await agent.openApp(made.id);
    } catch (error) {
      setProblem(problemOf(error).message);
      setMaking(false);
    }
  };
  const whyNot = isMaking ? texts.newAppMaking : name.trim() === '' ? texts.newAppNoName : undefined;
  const foot = (
    <div className="ms-dialog-actions">
      <Button onClick={close}>{texts.cancel}</Button>
      <span className="ms-spacer" />
      <Button kind="primary" whyNot={whyNot} onClick={() => void make()}>
        {texts.newAppMake}
      </Button>
    </div>
  );
  const shownProblem = problem ?? folders.problem;
  return (
    <QuestionDialog title={texts.newAppTitle} onEscape={close} actions={foot}>
      <fieldset className="ma-templates">
        <legend>{texts.newAppTemplate}</legend>
        {templateName.options.map((one) => (
          <label key={one} className="ma-template">
            <input type="radio" name={id} checked={one === template} onChange={() => setTemplate(one)} />
            <span className="ma-strong">{texts.templates[one].name}</span>
            <span className="ma-quiet">{texts.templates[one].about}</span>
          </label>
        ))}
      </fieldset>
      <label className="ma-field">
        <span>{texts.newAppName}</span>
        <input
          data-safe
          className="ms-input"
          dir="auto"
          spellCheck={false}
          autoComplete="off"
          maxLength={100}
          placeholder={texts.newAppNameHint}
          value={name}
          onChange={(event) => setName(event.target.value)}
          onKeyDown={(event) => {
            if (event.key === 'Enter' && !event.nativeEvent.isComposing && whyNot === undefined) void make();
          }}
        />
      </label>
      <p className="ma-quiet ma-wrap" dir="auto">
        {name.trim() === '' || folders.path === ''
          ? texts.newAppNoName
          : texts.newAppPlace(oneLine(placeIn(folders.path, name.trim())))}
      </p>
      <div className="ma-field ma-new-app-place">
        <span>{texts.newAppIn}</span>
        {folders.view}
      </div>
      {shownProblem !== undefined && <Failure title={shownProblem} retry={texts.retry} />}
    </QuestionDialog>
  );
}

/** The parent folder of a path. With '' the server chooses one. */
function folderAround(path = ''): string {
  return path.replace(/[/\\][^/\\]*$/, '');
}

function placeIn(folder: string, name: string): string {
  const separator = folder.includes('\\') ? '\\' : '/';
  return folder.endsWith(separator) ? folder + name : folder + separator + name;
}
