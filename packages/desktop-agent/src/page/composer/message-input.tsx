import {
  useCallback,
  useId,
  useRef,
  useState,
  type ClipboardEvent,
  type KeyboardEvent,
  type ReactElement,
} from 'react';
import { texts } from '../words/texts.ts';
import { tokenAt, type Completion } from './completion.ts';
import { CompletionList, type CompletionHandle } from './completion-list.tsx';

interface MessageInputProps {
  text: string;
  placeholder: string;
  withChat: (work: (chatId: string) => void | Promise<void>) => Promise<void>;
  onText: (text: string) => void;
  onFiles: (files: File[]) => void;
  onSend: () => void;
}

/** A text box that grows with its text, within bounds of the stylesheet. Above it is the list of completions. */
export function MessageInput({
  text,
  placeholder,
  withChat,
  onText,
  onFiles,
  onSend,
}: MessageInputProps): ReactElement {
  const listId = useId();
  const box = useRef<HTMLTextAreaElement>(null);
  const list = useRef<CompletionHandle>(null);
  const [caret, setCaret] = useState(text.length);
  /** The start of the word for which the person has closed the list. */
  const [dismissed, setDismissed] = useState<number>();
  const [active, setActive] = useState<string>();
  const [hasFocus, setFocus] = useState(false);
  const found = tokenAt(text, caret);
  const token = hasFocus && found?.start !== dismissed ? found : undefined;
  const follow = useCallback(() => {
    const { selectionStart, selectionEnd } = box.current ?? {};
    setCaret(selectionStart !== undefined && selectionStart === selectionEnd ? selectionStart : -1);
  }, []);
  const pick = ({ insert, run }: Completion): void => {
    if (token === undefined || box.current === null) return;
    const next = text.slice(0, token.start) + insert + text.slice(caret).replace(/^ /, insert.endsWith(' ') ? '' : ' ');
    const place = token.start + insert.length;
    onText(next);
    setCaret(place);
    run?.();
    // The caret is set after the new text is in the box.
    requestAnimationFrame(() => box.current?.setSelectionRange(place, place));
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    // The Enter that ends the composition of a character is ignored. In Safari only the code 229 shows it.
    if (event.nativeEvent.isComposing || event.keyCode === 229) return;
    if (token !== undefined && list.current?.onKey(event) === true) {
      event.preventDefault();
      event.stopPropagation();
    } else if (event.key === 'Enter' && !event.shiftKey) {
      event.preventDefault();
      onSend();
    }
  };
  const onPaste = (event: ClipboardEvent): void => {
    const files = [...event.clipboardData.files];
    if (files.length === 0) return;
    event.preventDefault();
    onFiles(files);
  };
  return (
    <>
      {token !== undefined && (
        <CompletionList
          ref={list}
          id={listId}
          token={token}
          withChat={withChat}
          onActive={setActive}
          onPick={pick}
          onDismiss={() => setDismissed(token.start)}
        />
      )}
      <textarea
        ref={box}
        id="composer"
        className="ma-input"
        aria-label={texts.composer}
        aria-autocomplete="list"
        aria-controls={active === undefined ? undefined : listId}
        aria-activedescendant={active}
        placeholder={placeholder}
        dir="auto"
        rows={1}
        value={text}
        onChange={(event) => {
          const { value, selectionStart } = event.target;
          // A new word may be completed again.
          if (tokenAt(value, selectionStart)?.start !== dismissed) setDismissed(undefined);
          setCaret(selectionStart);
          onText(value);
        }}
        onSelect={follow}
        onFocus={() => setFocus(true)}
        onBlur={() => setFocus(false)}
        onKeyDown={onKeyDown}
        onPaste={onPaste}
      />
    </>
  );
}
