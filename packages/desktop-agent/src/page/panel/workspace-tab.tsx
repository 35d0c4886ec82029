import { oneLine, TextView, useLanguage } from '@mustard-sandbox/cards';
import { useState, type ReactElement } from 'react';
import { VList } from 'virtua';
import type { Result } from '../../shared/contract/index.ts';
import { useUi } from '../app/ui.ts';
import { saveAs } from '../download.ts';
import { Button, Empty, Failure, Skeleton } from '../parts/controls.tsx';
import { useAgent, useAgentState } from '../state/use-agent.ts';
import { useAsked } from '../state/use-asked.ts';
import { texts } from '../words/texts.ts';
import { useFileFilter } from './file-filter.tsx';

type Listed = Result<'list-workspace-files'>['files'][number];
const pathOf = ({ path }: Listed): string => path;

/** The files that commands of the chat made. A person can look at them, download them, and propose them for the app. */
export function WorkspaceTab(): ReactElement {
  const chatId = useAgentState(({ open }) => open?.chat.id);
  if (chatId === undefined) return <NoWorkspace />;
  return <Workspace key={chatId} chatId={chatId} />;
}

function NoWorkspace(): ReactElement {
  return <Empty title={texts.workspaceEmpty}>{texts.workspaceEmptyHint}</Empty>;
}

function Workspace({ chatId }: { chatId: string }): ReactElement {
  const agent = useAgent();
  const [path, setPath] = useState<string>();
  // A command ends before its answer does, so a changed message is a reason to look again.
  const messages = useAgentState(({ open }) => open?.messages);
  const asked = useAsked(() => agent.call('list-workspace-files', { chatId }), [agent, chatId, messages]);
  if (path !== undefined) return <OneFile chatId={chatId} path={path} onBack={() => setPath(undefined)} />;
  const { value, problem } = asked;
  if (problem !== undefined) return <Failure title={problem.message} retry={texts.retry} onRetry={asked.again} />;
  if (value === undefined) return <Skeleton lines={8} label={texts.loading} />;
  if (!value.exists) return <NoWorkspace />;
  return (
    <div className="ma-fill">
      <p className="ma-quiet">{texts.workspaceIntro}</p>
      <TakeOver chatId={chatId} />
      {value.truncated && <p className="ma-quiet">{texts.filesTruncated}</p>}
      <FileList files={value.files} onOpen={setPath} />
    </div>
  );
}

function TakeOver({ chatId }: { chatId: string }): ReactElement {
  const agent = useAgent();
  const ui = useUi();
  const isAnswering = useAgentState(({ open }) => open?.chat.streaming === true);
  const takeOver = async (): Promise<void> => {
    await agent.attempt(async () => {
      const { id, proposal } = await agent.call('take-over-workspace', { chatId });
      if (proposal === null) return;
      ui.review(id);
      agent.toast({ kind: 'info', text: texts.tookOver });
    });
  };
  return (
    <div className="ma-actions">
      <Button disabled={isAnswering} onClick={() => void takeOver()}>
        {texts.takeOver}
      </Button>
    </div>
  );
}

function FileList({ files, onOpen }: { files: readonly Listed[]; onOpen: (path: string) => void }): ReactElement {
  const { format } = useLanguage();
  const [found, box] = useFileFilter(files, pathOf);
  return (
    <>
      {box}
      {found.length === 0 && <p className="ma-quiet">{texts.filesNone}</p>}
      <div className="ma-versions" role="group" aria-label={texts.tabs.workspace}>
        <VList data={found} itemSize={28}>
          {({ path, bytes }) => (
            <button key={path} type="button" className="ma-list-row" title={oneLine(path)} onClick={() => onOpen(path)}>
              <span className="ma-path" dir="ltr">
                <bdi>{oneLine(path)}</bdi>
              </span>
              <span className="ma-quiet ma-number">{format.bytes(bytes)}</span>
            </button>
          )}
        </VList>
      </div>
    </>
  );
}

function OneFile({ chatId, path, onBack }: { chatId: string; path: string; onBack: () => void }): ReactElement {
  const agent = useAgent();
  const asked = useAsked(() => agent.call('read-workspace-file', { chatId, path }), [agent, chatId, path]);
  const download = async (): Promise<void> => {
    await agent.attempt(async () => saveAs(await agent.download({ chatId, path }), path.split('/').at(-1) ?? path));
  };
  return (
    <div className="ma-fill">
      <div className="ma-actions">
        <Button className="ma-flat" onClick={onBack}>
          {texts.allWorkspaceFiles}
        </Button>
        <Button onClick={() => void download()}>{texts.download}</Button>
      </div>
      <p className="ma-strong ma-wrap" dir="ltr">
        <bdi>{oneLine(path)}</bdi>
      </p>
      {asked.problem !== undefined && (
        <Failure title={asked.problem.message} retry={texts.retry} onRetry={asked.again} />
      )}
      {asked.value === undefined ? (
        asked.isAsking && <Skeleton lines={6} label={texts.loading} />
      ) : (
        <Content path={path} file={asked.value} />
      )}
    </div>
  );
}

function Content({ path, file }: { path: string; file: Result<'read-workspace-file'> }): ReactElement {
  const { format } = useLanguage();
  const { content, bytes, cut, binary } = file;
  if (binary) return <p className="ma-quiet">{texts.fileBinary}</p>;
  return (
    <>
      {cut && <p className="ma-quiet">{texts.fileCut(format.bytes(1024 * 1024), format.bytes(bytes))}</p>}
      <TextView text={content} label={oneLine(path)} />
    </>
  );
}
