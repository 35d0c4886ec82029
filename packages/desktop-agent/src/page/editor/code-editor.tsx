import { useEffect, useImperativeHandle, useRef, type ReactElement, type Ref } from 'react';
import { createEditor, goToLine } from './codemirror.ts';
import type { EditorView } from '@codemirror/view';

export interface EditorHandle {
  text(): string;
}

interface CodeEditorProps {
  ref: Ref<EditorHandle>;
  /** The text at first. Another text needs a new editor. */
  text: string;
  label: string;
  /** The path, whose extension determines the language. */
  path: string;
  line: number | undefined;
  /** When the line was asked for. */
  at: number;
  onText: (text: string) => void;
  onSave: () => void;
}

/** The editor. It is in a chunk of the page that is loaded when a file is opened. */
export default function CodeEditor(props: CodeEditorProps): ReactElement {
  const { ref, text, label, path, line, at } = props;
  const frame = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView>(null);
  const latest = useRef(props);
  latest.current = props;
  useImperativeHandle(ref, () => ({ text: () => view.current?.state.sliceDoc() ?? text }), [text]);
  useEffect(() => {
    if (frame.current === null) return undefined;
    const editor = createEditor(frame.current, {
      text,
      path,
      label,
      onText: (now) => latest.current.onText(now),
      onSave: () => latest.current.onSave(),
    });
    view.current = editor;
    return () => editor.destroy();
  }, [text, path, label]);
  useEffect(() => {
    if (line !== undefined && view.current !== null) goToLine(view.current, line);
  }, [line, at]);
  return <div ref={frame} className="ma-code-editor" dir="ltr" />;
}
