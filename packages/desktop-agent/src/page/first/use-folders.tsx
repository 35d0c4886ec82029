import { Icon, oneLine } from '@mustard-sandbox/cards';
import { useState, type ReactElement } from 'react';
import { Button, IconButton, Skeleton } from '../parts/controls.tsx';
import { useAgent } from '../state/use-agent.ts';
import { useAsked } from '../state/use-asked.ts';
import { texts } from '../words/texts.ts';

/** How many folders are shown at once; the filter finds the others. */
const most = 300;

interface Folders {
  /** The current folder or the typed path; '' until it is known. */
  path: string;
  /** Why the folder cannot be shown. */
  problem: string | undefined;
  view: ReactElement;
}

/** Lists folders of this machine by navigating or by a typed path. @param start '' lets the server choose */
export function useFolders(start = ''): Folders {
  const agent = useAgent();
  const [path, setPath] = useState(start);
  const [typed, setTyped] = useState<string>();
  const asked = useAsked(() => agent.call('list-folders', { path }), [agent, path]);
  const here = asked.value;
  const go = (to: string): void => {
    setTyped(undefined);
    setPath(to);
  };
  const shown = typed ?? here?.path ?? '';
  const view = (
    <>
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
      {here === undefined ? (
        asked.isAsking && <Skeleton lines={6} label={texts.loading} />
      ) : (
        <FolderList key={here.path} path={here.path} folders={here.folders} onGo={go} />
      )}
    </>
  );
  return { path: shown, problem: asked.problem?.message, view };
}

function FolderList({
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
