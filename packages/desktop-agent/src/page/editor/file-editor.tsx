import { oneLine } from '@mustard-sandbox/cards';
import { lazy, Suspense, useCallback, useRef, useState, type ReactElement } from 'react';
import { AgentError } from '../../shared/contract/index.ts';
import { useUi } from '../app/ui.ts';
import { Button, Failure, Skeleton } from '../parts/controls.tsx';
import { problemOf } from '../state/problem.ts';
import { useAgent } from '../state/use-agent.ts';
import { useAsked } from '../state/use-asked.ts';
import { texts } from '../words/texts.ts';
import { edits } from './edits.ts';
import { useDiskCheck } from './use-disk-check.ts';
import type { EditorHandle } from './code-editor.tsx';

const CodeEditor = lazy(() => import('./code-editor.tsx'));

interface FileEditorProps {
  appId: string;
  path: string;
  line: number | undefined;
  at: number;
}

/** Shows and edits one file. Saving commits it. Unsaved text stays when another file is opened. */
export function FileEditor({ appId, path, line, at }: FileEditorProps): ReactElement {
  const agent = useAgent();
  const ui = useUi();
  const asked = useAsked(() => agent.call('read-app-file', { appId, path }), [agent, appId, path]);
  const { value: file, problem } = asked;
  return (
    <div className="ma-fill ma-file-editor">
      <div className="ma-actions">
        <Button className="ma-flat" onClick={() => ui.set({ file: undefined })}>
          {texts.backToFiles}
        </Button>
      </div>
      <p className="ma-path ma-strong" dir="ltr" title={oneLine(path)}>
        <bdi>{oneLine(path)}</bdi>
      </p>
      {problem !== undefined && <Failure title={problem.message} retry={texts.retry} onRetry={asked.again} />}
      {file === undefined ? (
        asked.isAsking && <Skeleton lines={10} label={texts.loading} />
      ) : (
        <Text key={asked.count} appId={appId} path={path} line={line} at={at} file={file} onReload={asked.again} />
      )}
    </div>
  );
}

interface TextProps extends FileEditorProps {
  file: { content: string; hash: string };
  onReload: () => void;
}

function Text({ appId, path, line, at, file, onReload }: TextProps): ReactElement {
  const agent = useAgent();
  const [initial] = useState(() => edits.get(appId, path));
  const [content] = useState(initial?.content ?? file.content);
  /** The file on the disk, as far as the page knows. */
  const saved = useRef(file);
  const hash = useRef(initial?.hash ?? file.hash);
  const editor = useRef<EditorHandle>(null);
  const [isUnsaved, setUnsaved] = useState(initial !== undefined);
  const [isConflict, setConflict] = useState(initial !== undefined && initial.hash !== file.hash);
  const [said, setSaid] = useState<string>();
  const [failure, setFailure] = useState<string>();
  const onText = useCallback(
    (text: string) => {
      const differs = text !== saved.current.content;
      edits.set(appId, path, differs ? { content: text, hash: hash.current } : undefined);
      setUnsaved(differs);
      setSaid(undefined);
    },
    [appId, path],
  );
  const save = useCallback(async () => {
    const text = editor.current?.text();
    if (text === undefined) return;
    setFailure(undefined);
    try {
      const answer = await agent.call('edit-app-file', { appId, path, content: text, hash: hash.current });
      hash.current = answer.hash;
      saved.current = { content: text, hash: answer.hash };
      setConflict(false);
      // Text that was typed while saving is not saved yet.
      onText(editor.current?.text() ?? text);
      setSaid(answer.commit === null ? texts.saved : texts.savedAs(answer.commit.slice(0, 7)));
    } catch (error) {
      if (error instanceof AgentError && error.code === 'changed') setConflict(true);
      else setFailure(problemOf(error).message);
    }
  }, [agent, appId, path, onText]);
  const overwrite = async (): Promise<void> => {
    const now = await agent.call('read-app-file', { appId, path });
    hash.current = now.hash;
    await save();
  };
  const reload = (): void => {
    edits.set(appId, path, undefined);
    onReload();
  };
  useDiskCheck(appId, path, saved, () => setConflict(true), onReload);
  return (
    <>
      {isConflict && (
        <div className="ma-notice" data-kind="error" role="alert">
          <p className="ma-strong">{texts.fileChanged}</p>
          <p>{texts.fileChangedHint}</p>
          <div className="ma-actions">
            <Button onClick={reload}>{texts.reload}</Button>
            <Button kind="danger" onClick={() => void agent.attempt(overwrite)}>
              {texts.overwrite}
            </Button>
          </div>
        </div>
      )}
      {failure !== undefined && <Failure title={failure} retry={texts.retry} onRetry={() => void save()} />}
      <Suspense fallback={<Skeleton lines={10} label={texts.loading} />}>
        <CodeEditor
          ref={editor}
          text={content}
          label={oneLine(path)}
          path={path}
          line={line}
          at={at}
          onText={onText}
          onSave={() => void save()}
        />
      </Suspense>
      <div className="ma-actions ma-editor-foot">
        <Button kind="primary" onClick={() => void save()} whyNot={isUnsaved ? undefined : texts.nothingToSave}>
          {texts.save}
        </Button>
        <span role="status" className={isUnsaved ? 'ma-warning' : 'ma-quiet'}>
          {isUnsaved ? texts.unsaved : said}
        </span>
      </div>
    </>
  );
}
