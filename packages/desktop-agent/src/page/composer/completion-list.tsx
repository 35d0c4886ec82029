import { oneLine } from '@mustard-sandbox/cards';
import {
  useEffect,
  useImperativeHandle,
  useRef,
  useState,
  type KeyboardEvent,
  type ReactElement,
  type Ref,
} from 'react';
import { useUi } from '../app/ui.ts';
import { useAgent, useAgentState } from '../state/use-agent.ts';
import { useAsked } from '../state/use-asked.ts';
import { texts } from '../words/texts.ts';
import { commandsFor, mentionsFor, type Completion, type Token } from './completion.ts';
import { slashCommands } from './slash-commands.ts';

export interface CompletionHandle {
  /** Handles a key of the message box. @returns whether the list used the key */
  onKey(event: KeyboardEvent): boolean;
}

interface CompletionListProps {
  ref: Ref<CompletionHandle>;
  id: string;
  token: Token;
  withChat: (work: (chatId: string) => void | Promise<void>) => Promise<void>;
  /** Called with the id of the chosen element, or `undefined` when there is nothing to choose. */
  onActive: (id: string | undefined) => void;
  onPick: (completion: Completion) => void;
  onDismiss: () => void;
}

const nothing = { files: [], versions: [], skills: [] };

/** The completions of the word at the caret. The message box keeps the focus. Arrows choose, Enter and Tab accept. */
export function CompletionList(props: CompletionListProps): ReactElement | null {
  const { ref, id, token, withChat, onActive, onPick, onDismiss } = props;
  const agent = useAgent();
  const ui = useUi();
  const appId = useAgentState((state) => state.appId);
  const wantsVersions = token.sign === '@' && token.query.startsWith('version:');
  const kind = token.sign === '/' ? 'skills' : wantsVersions ? 'versions' : 'files';
  const { value = nothing } = useAsked(async () => {
    if (appId === undefined) return nothing;
    if (kind === 'skills') return { ...nothing, skills: await agent.call('list-skills', { appId }) };
    if (kind === 'versions') return { ...nothing, ...(await agent.call('list-versions', { appId })) };
    return { ...nothing, files: (await agent.call('list-app-files', { appId })).files };
  }, [agent, appId, kind]);
  const found =
    token.sign === '/'
      ? commandsFor(token.query, slashCommands(agent, ui, withChat), value.skills)
      : mentionsFor(token.query, value.files, value.versions);
  const [at, setAt] = useState(0);
  const index = Math.min(at, found.length - 1);
  const active = found[index];
  useEffect(() => setAt(0), [token.query, token.sign]);
  const list = useRef<HTMLUListElement>(null);
  const activeId = active === undefined ? undefined : `${id}-${index}`;
  useEffect(() => {
    onActive(activeId);
    list.current?.querySelector('[aria-selected=true]')?.scrollIntoView({ block: 'nearest' });
  }, [activeId, onActive]);
  useEffect(() => () => onActive(undefined), [onActive]);
  useImperativeHandle(ref, () => ({
    onKey(event) {
      if (active === undefined || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return false;
      const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
      if (step !== undefined) setAt((index + step + found.length) % found.length);
      else if (event.key === 'Enter' || event.key === 'Tab') onPick(active);
      else if (event.key === 'Escape') onDismiss();
      else return false;
      return true;
    },
  }));
  if (found.length === 0) return null;
  return (
    <ul ref={list} id={id} role="listbox" aria-label={texts.completions} className="ma-list ma-completions">
      {found.map((completion, place) => (
        <li
          key={completion.id}
          id={`${id}-${place}`}
          role="option"
          aria-selected={place === index}
          className="ma-completion"
          // The message box keeps the focus.
          onMouseDown={(event) => event.preventDefault()}
          onClick={() => onPick(completion)}
        >
          <span className="ma-path" dir="ltr" title={completion.label}>
            <bdi>{completion.label}</bdi>
          </span>
          <span className="ma-quiet ma-cut" dir="auto">
            {oneLine(completion.detail)}
          </span>
        </li>
      ))}
    </ul>
  );
}
