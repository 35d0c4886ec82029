import { Icon, oneLine, QuestionDialog } from '@mustard-sandbox/cards';
import { useState, type ReactElement } from 'react';
import type { App } from '../../shared/contract/index.ts';
import { useUi } from '../app/ui.ts';
import { Confirm } from '../parts/confirm.tsx';
import { Button, Failure, IconButton, Skeleton } from '../parts/controls.tsx';
import { useAgent } from '../state/use-agent.ts';
import { useAsked } from '../state/use-asked.ts';
import { problemOf } from '../state/problem.ts';
import { texts } from '../words/texts.ts';

/** How many folders are shown at once; the filter finds the others. */
const most = 300;

/** Picks a folder of this machine: by going there or by its path. An empty path is where the server begins. */
export function FolderPicker(): ReactElement {
  const agent = useAgent();
  const ui = useUi();
  const [path, setPath] = useState('');
  const [typed, setTyped] = useState<string>();
  const [problem, setProblem] = useState<string>();
  const [withoutGit, setWithoutGit] = useState<App>();
  const asked = useAsked(() => agent.call('list-folders', { path }), [agent, path]);
  const here = asked.value;
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
      const { apps } = agent.store.get();
      if (!apps.some(({ id }) => id === app.id)) agent.store.set({ apps: [...apps, app] });
      if (app.git) await open(app);
      else setWithoutGit(app);
    } catch (error) {
      setProblem(problemOf(error).message);
    }
  };
  const go = (to: string): void => {
    setTyped(undefined);
    setPath(to);
  };
  const shown = typed ?? here?.path ?? '';
  const foot = (
    <div className="ms-dialog-actions">
      <Button onClick={close}>{texts.cancel}</Button>
      <span className="ms-spacer" />
      <Button
        kind="primary"
        data-safe
        onClick={() => shown !== '' && void take(() => agent.call('add-app', { path: shown }))}
      >
        {texts.folderUse}
      </Button>
    </div>
  );
  return (
    <QuestionDialog title={texts.folderTitle} onEscape={close} actions={foot}>
      <form
        className="ma-folder-path"
        onSubmit={(event) => {
          event.preventDefault();
          go(shown);
        }}
      >
        <IconButton
          icon="up"
          label={texts.folderUp}
          disabled={here?.parent === undefined || here.parent === null}
          onClick={() => here?.parent && go(here.parent)}
        />
        <input
          className="ms-input"
          aria-label={texts.folderPath}
          dir="ltr"
          spellCheck={false}
          value={shown}
          onChange={(event) => setTyped(event.target.value)}
        />
        <Button type="submit">{texts.folderGo}</Button>
      </form>
      {(problem ?? asked.problem?.message) !== undefined && (
        <Failure title={problem ?? asked.problem?.message ?? ''} retry={texts.retry} />
      )}
      {here === undefined ? (
        asked.isAsking && <Skeleton lines={6} label={texts.loading} />
      ) : (
        <Folders key={here.path} path={here.path} folders={here.folders} onGo={go} />
      )}
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

function Folders({
  path,
  folders,
  onGo,
}: {
  path: string;
  folders: readonly string[];
  onGo: (path: string) => void;
}): ReactElement {
  const [filter, setFilter] = useState('');
  if (folders.length === 0) return <p className="ma-quiet">{texts.folderEmpty}</p>;
  const found = folders.filter((name) => name.toLowerCase().includes(filter.toLowerCase()));
  const separator = path.includes('\\') ? '\\' : '/';
  const below = (name: string): string => (path.endsWith(separator) ? path + name : path + separator + name);
  return (
    <div className="ma-folders">
      <input
        className="ms-input"
        aria-label={texts.folderFilter}
        placeholder={texts.folderFilter}
        value={filter}
        onChange={(event) => setFilter(event.target.value)}
      />
      <ul className="ma-list" aria-label={texts.folderPath}>
        {found.slice(0, most).map((name) => (
          <li key={name}>
            <button type="button" className="ma-list-row" title={oneLine(name)} onClick={() => onGo(below(name))}>
              <Icon name="folder" />
              <span className="ma-cut">{oneLine(name)}</span>
            </button>
          </li>
        ))}
      </ul>
      {found.length === 0 && <p className="ma-quiet">{texts.folderNone}</p>}
    </div>
  );
}
