import { oneLine, Printed, QuestionDialog } from '@mustard-sandbox/cards';
import { useId, useRef, useState, type KeyboardEvent, type ReactElement } from 'react';
import type { ChatMatch, FileMatch, Result } from '../../shared/contract/index.ts';
import { useUi } from '../app/ui.ts';
import { Failure } from '../parts/controls.tsx';
import { useAgent, useAgentState } from '../state/use-agent.ts';
import { texts } from '../words/texts.ts';
import { useSearch } from './use-search.ts';

type Match = { kind: 'file'; match: FileMatch } | { kind: 'chat'; match: ChatMatch };

/** Finds a text in the files and the chats of the app. */
export function SearchDialog(): ReactElement {
  const agent = useAgent();
  const ui = useUi();
  const appId = useAgentState((state) => state.appId);
  const [text, setText] = useState('');
  const [matchCase, setMatchCase] = useState(false);
  const [pattern, setPattern] = useState(false);
  const [chosen, setChosen] = useState(0);
  const list = useRef<HTMLUListElement>(null);
  const id = useId();
  const { files, chats, problem, isSearching } = useSearch(appId, { text, matchCase, pattern });
  const matches: Match[] = [
    ...(chats?.matches ?? []).map((match) => ({ kind: 'chat' as const, match })),
    ...(files?.matches ?? []).map((match) => ({ kind: 'file' as const, match })),
  ];
  const index = Math.min(chosen, matches.length - 1);
  const close = (): void => ui.set({ dialog: undefined });
  const open = (found: Match | undefined): void => {
    if (found === undefined) return;
    close();
    // This runs after the focus is back where it was.
    setTimeout(() => {
      if (found.kind === 'file') ui.openFile(found.match.path, found.match.line);
      else void agent.openChat(found.match.chatId).then(() => ui.focusComposer());
    });
  };
  const move = (by: number): void => {
    const next = (index + by + matches.length) % matches.length;
    setChosen(next);
    list.current?.children[next]?.scrollIntoView({ block: 'nearest' });
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.nativeEvent.isComposing || matches.length === 0) return;
    if (event.key === 'ArrowDown') move(1);
    else if (event.key === 'ArrowUp') move(-1);
    else if (event.key === 'Enter') open(matches[index]);
    else return;
    event.preventDefault();
  };
  return (
    <QuestionDialog title={texts.search} onEscape={close}>
      <div className="ma-command-menu">
        <input
          data-safe
          className="ms-input"
          role="combobox"
          aria-label={texts.searchText}
          placeholder={texts.searchText}
          aria-expanded="true"
          aria-controls={`${id}-list`}
          aria-activedescendant={matches.length === 0 ? undefined : `${id}-${index}`}
          aria-autocomplete="list"
          autoComplete="off"
          spellCheck={false}
          maxLength={1000}
          value={text}
          onChange={(event) => {
            setText(event.target.value);
            setChosen(0);
          }}
          onKeyDown={onKeyDown}
        />
        <div className="ma-search-options">
          <Check label={texts.searchCase} value={matchCase} onValue={setMatchCase} />
          <Check label={texts.searchPattern} value={pattern} onValue={setPattern} />
        </div>
        {problem !== undefined && <Failure title={problem.message} retry={texts.retry} />}
        <ul ref={list} id={`${id}-list`} role="listbox" aria-label={texts.search} className="ma-options">
          {matches.map((found, at) => (
            <li
              key={at}
              id={`${id}-${at}`}
              role="option"
              className="ma-found"
              aria-selected={at === index}
              onPointerMove={() => setChosen(at)}
              onClick={() => open(found)}
            >
              <Place found={found} />
              <Marked {...found.match} />
            </li>
          ))}
        </ul>
        <p className="ma-quiet" role="status">
          {statusOf({ text, isSearching, files, chats, hasProblem: problem !== undefined })}
        </p>
      </div>
    </QuestionDialog>
  );
}

function statusOf({
  text,
  isSearching,
  files,
  chats,
  hasProblem,
}: {
  text: string;
  isSearching: boolean;
  files: Result<'search-files'> | undefined;
  chats: Result<'search-chats'> | undefined;
  hasProblem: boolean;
}): string {
  if (text === '') return texts.searchHint;
  if (isSearching) return texts.searching;
  if (hasProblem || files === undefined || chats === undefined) return '';
  const cut = files.cut ?? chats.cut;
  const [inFiles, inChats] = [files.matches.length, chats.matches.length];
  return [
    inFiles + inChats === 0 ? texts.searchNone : `${texts.searchFound(inFiles, inChats)}.`,
    cut !== null && texts.searchCut[cut],
    files.skipped > 0 && texts.searchSkipped(files.skipped),
  ]
    .filter((part) => part !== false)
    .join(' ');
}

function Check({
  label,
  value,
  onValue,
}: {
  label: string;
  value: boolean;
  onValue: (value: boolean) => void;
}): ReactElement {
  return (
    <label className="ma-check">
      <input type="checkbox" checked={value} onChange={(event) => onValue(event.target.checked)} />
      <span>{label}</span>
    </label>
  );
}

function Place({ found }: { found: Match }): ReactElement {
  const words = found.kind === 'file' ? `${found.match.path}:${found.match.line}` : found.match.title;
  return (
    <span className="ma-quiet ma-cut" dir={found.kind === 'file' ? 'ltr' : 'auto'}>
      {found.kind === 'chat' && `${texts.searchChats}: `}
      <bdi>{oneLine(words)}</bdi>
    </span>
  );
}

/** The text with the match marked. */
function Marked({ text, start, end }: { text: string; start: number; end: number }): ReactElement {
  return (
    <span className="ma-found-text" dir="auto">
      <Printed text={text.slice(0, start).trimStart()} />
      <mark>
        <Printed text={text.slice(start, end)} />
      </mark>
      <Printed text={text.slice(end)} />
    </span>
  );
}
