import { oneLine } from '@mustard-sandbox/cards';
import { lazy, Suspense, useRef, useState, type ReactElement } from 'react';
import type { Message } from '../../shared/contract/index.ts';
import type { EditorHandle } from '../editor/code-editor.tsx';
import { Button, Failure, Skeleton } from '../parts/controls.tsx';
import { problemOf } from '../state/problem.ts';
import { useAgent } from '../state/use-agent.ts';
import { useAsked } from '../state/use-asked.ts';
import { texts } from '../words/texts.ts';

const CodeEditor = lazy(() => import('../editor/code-editor.tsx'));

interface ProposedEditorProps {
  message: Message;
  path: string;
  onClose: () => void;
}

/** An editor for a proposed file, before it is applied. Nothing is written to the app. */
export function ProposedEditor({ message, path, onClose }: ProposedEditorProps): ReactElement {
  const agent = useAgent();
  const ids = { chatId: message.chatId, messageId: message.id };
  const asked = useAsked(() => agent.call('read-proposed-file', { ...ids, path }), [agent, message.id, path]);
  const editor = useRef<EditorHandle>(null);
  const frame = useRef<HTMLDivElement>(null);
  const [isSaving, setSaving] = useState(false);
  const [failure, setFailure] = useState<string>();
  const { value, problem } = asked;
  const close = (): void => {
    // The focus returns to the file.
    frame.current?.closest('details')?.querySelector('summary')?.focus();
    onClose();
  };
  const save = async (): Promise<void> => {
    const content = editor.current?.text();
    if (content === undefined || value === undefined || isSaving) return;
    if (content === value.content) return close();
    setSaving(true);
    setFailure(undefined);
    try {
      await agent.call('edit-proposed-file', { ...ids, path, content, revision: value.revision });
      close();
    } catch (error) {
      setFailure(problemOf(error).message);
      setSaving(false);
    }
  };
  return (
    <div ref={frame} className="ma-proposed-editor">
      {problem !== undefined && <Failure title={problem.message} retry={texts.retry} onRetry={asked.again} />}
      {failure !== undefined && <Failure title={failure} retry={texts.retry} onRetry={() => void save()} />}
      {value === undefined ? (
        asked.isAsking && <Skeleton lines={6} label={texts.loading} />
      ) : (
        <Suspense fallback={<Skeleton lines={6} label={texts.loading} />}>
          <CodeEditor
            ref={editor}
            text={value.content}
            label={texts.proposedOf(oneLine(path))}
            path={path}
            line={1}
            at={0}
            onText={() => setFailure(undefined)}
            onSave={() => void save()}
          />
        </Suspense>
      )}
      <div className="ma-actions">
        <Button kind="primary" whyNot={isSaving ? texts.savingEdit : undefined} onClick={() => void save()}>
          {texts.saveEdit}
        </Button>
        <Button onClick={close}>{texts.discardEdit}</Button>
      </div>
    </div>
  );
}
