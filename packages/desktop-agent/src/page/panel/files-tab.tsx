import type { ReactElement } from 'react';
import { VList } from 'virtua';
import { useUiState } from '../app/ui.ts';
import { FileEditor } from '../editor/file-editor.tsx';
import { Empty, Failure, Skeleton } from '../parts/controls.tsx';
import { useAgent, useAgentState } from '../state/use-agent.ts';
import { useAsked } from '../state/use-asked.ts';
import { texts } from '../words/texts.ts';
import { useFileFilter } from './file-filter.tsx';
import { FileRow } from './file-row.tsx';
import { NewFile } from './new-file.tsx';

const none: readonly string[] = [];
const itself = (path: string): string => path;

/** The files of the app, and the one that is open in the editor. */
export function FilesTab({ appId }: { appId: string }): ReactElement {
  const file = useUiState((state) => state.file);
  if (file === undefined) return <FileList appId={appId} />;
  return <FileEditor key={`${appId}:${file.path}`} appId={appId} path={file.path} line={file.line} at={file.at} />;
}

function FileList({ appId }: { appId: string }): ReactElement {
  const agent = useAgent();
  const filesVersion = useAgentState((state) => state.filesVersion);
  const hasGit = useAgentState(({ apps }) => apps.find(({ id }) => id === appId)?.git);
  const asked = useAsked(() => agent.call('list-app-files', { appId }), [agent, appId, filesVersion]);
  const { value, problem } = asked;
  const [found, box] = useFileFilter(value?.files ?? none, itself);
  if (problem !== undefined) return <Failure title={problem.message} retry={texts.retry} onRetry={asked.again} />;
  if (value === undefined) return <Skeleton lines={8} label={texts.loading} />;
  const canChange = hasGit === true;
  if (value.files.length === 0)
    return <Empty title={texts.filesEmpty} actions={canChange && <NewFile appId={appId} />} />;
  return (
    <div className="ma-fill">
      <div className="ma-file-tools">
        {box}
        {canChange && <NewFile appId={appId} />}
      </div>
      {value.truncated && <p className="ma-quiet">{texts.filesTruncated}</p>}
      {found.length === 0 && <p className="ma-quiet">{texts.filesNone}</p>}
      <div className="ma-versions" role="group" aria-label={texts.tabs.files}>
        <VList data={found} itemSize={28}>
          {(path) => <FileRow key={path} appId={appId} path={path} canChange={canChange} />}
        </VList>
      </div>
    </div>
  );
}
