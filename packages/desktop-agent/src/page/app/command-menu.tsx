import { QuestionDialog } from '@mustard-sandbox/cards';
import { useId, useMemo, useRef, useState, type KeyboardEvent, type ReactElement } from 'react';
import { useAgent, useAgentState } from '../state/use-agent.ts';
import { useAsked } from '../state/use-asked.ts';
import { texts } from '../words/texts.ts';
import { commandsOf, fileCommands, matching, type Command } from './commands.ts';
import { useUi } from './ui.ts';

/** The most results, because a person does not look through more. */
const most = 50;

/** The menu with all that can be done, which Ctrl+K or ⌘K opens. */
export function CommandMenu(): ReactElement {
  const agent = useAgent();
  const ui = useUi();
  const chats = useAgentState((state) => state.chats);
  const [query, setQuery] = useState('');
  const [chosen, setChosen] = useState(0);
  const list = useRef<HTMLUListElement>(null);
  const id = useId();
  // While the menu is open, only the chats can change.
  const commands = useMemo(() => commandsOf(agent, ui), [agent, ui, chats]);
  const appId = useAgentState((state) => state.appId);
  const asked = useAsked(
    async () => (appId === undefined ? [] : (await agent.call('list-app-files', { appId })).files),
    [agent, appId],
  );
  const files = useMemo(() => fileCommands(asked.value ?? [], ui), [asked.value, ui]);
  // Files are shown only for a query. Otherwise they would bury everything else.
  const all = query.trim() === '' ? commands : [...commands, ...files];
  const found = matching(all, query).slice(0, most);
  const index = Math.min(chosen, found.length - 1);
  const close = (): void => ui.set({ dialog: undefined });
  const run = (command: Command | undefined): void => {
    if (command === undefined) return;
    close();
    // The command runs after the focus is back where it was, so that it can move the focus.
    setTimeout(command.run);
  };
  const move = (by: number): void => {
    const next = (index + by + found.length) % found.length;
    setChosen(next);
    list.current?.children[next]?.scrollIntoView({ block: 'nearest' });
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.nativeEvent.isComposing) return;
    if (event.key === 'ArrowDown') move(1);
    else if (event.key === 'ArrowUp') move(-1);
    else if (event.key === 'Enter') run(found[index]);
    else return;
    event.preventDefault();
  };
  return (
    <QuestionDialog title={texts.commandMenu} onEscape={close}>
      <div className="ma-command-menu">
        <input
          data-safe
          className="ms-input"
          role="combobox"
          aria-label={texts.commandSearch}
          placeholder={texts.commandSearch}
          aria-expanded="true"
          aria-controls={`${id}-list`}
          aria-activedescendant={found.length === 0 ? undefined : `${id}-${index}`}
          aria-autocomplete="list"
          autoComplete="off"
          value={query}
          onChange={(event) => {
            setQuery(event.target.value);
            setChosen(0);
          }}
          onKeyDown={onKeyDown}
        />
        <ul ref={list} id={`${id}-list`} role="listbox" aria-label={texts.commands} className="ma-options">
          {found.map((command, at) => (
            <li
              key={command.id}
              id={`${id}-${at}`}
              role="option"
              aria-selected={at === index}
              dir="auto"
              onPointerMove={() => setChosen(at)}
              onClick={() => run(command)}
            >
              {command.label}
            </li>
          ))}
        </ul>
        <p className="ma-quiet" role="status">
          {found.length === 0 ? texts.commandNone : ''}
        </p>
      </div>
    </QuestionDialog>
  );
}
