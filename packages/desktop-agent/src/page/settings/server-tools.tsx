import { Icon, Printed } from '@mustard-sandbox/cards';
import { useState, type ReactElement } from 'react';
import type { ServerTool, ToolAction } from '../../shared/contract/index.ts';
import { useAgent } from '../state/use-agent.ts';
import { texts } from '../words/texts.ts';

/** The most tools that are shown. */
const most = 50;
const filteredFrom = 10;
const actions = ['allow', 'ask', 'deny'] as const;

/** The tools of a server, each with the choice of what happens to its calls. */
export function ServerTools({
  tools,
  trustHints,
}: {
  tools: readonly ServerTool[];
  trustHints: boolean;
}): ReactElement {
  const [query, setQuery] = useState('');
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  const found = tools.filter(({ name }) => words.every((word) => name.toLowerCase().includes(word)));
  const more = found.length - most;
  return (
    <details className="ma-server-tools">
      <summary>
        <Icon name="chevron" />
        {texts.serverTools(tools.length)}
      </summary>
      {tools.length > filteredFrom && (
        <input
          type="search"
          className="ms-input"
          aria-label={texts.toolsFilter}
          placeholder={texts.toolsFilter}
          value={query}
          onChange={(event) => setQuery(event.target.value)}
        />
      )}
      <ul>
        {found.slice(0, most).map((tool) => (
          <Tool key={tool.name} tool={tool} trustHints={trustHints} />
        ))}
      </ul>
      {found.length === 0 && <p className="ms-note">{texts.toolsNone}</p>}
      {more > 0 && <p className="ms-note">{texts.toolsMore(more)}</p>}
    </details>
  );
}

function Tool({ tool, trustHints }: { tool: ServerTool; trustHints: boolean }): ReactElement {
  const agent = useAgent();
  const { name, description, isReadOnly, action } = tool;
  const set = async (chosen: ToolAction): Promise<void> => {
    agent.store.set({ servers: await agent.call('set-tool-action', { tool: name, action: chosen }) });
  };
  return (
    <li className="ma-server-tool">
      <div>
        <p className="ma-wrap">
          <span className="ma-mono" dir="ltr">
            {name}
          </span>
          {isReadOnly && <span className="ma-quiet"> {texts.toolReadsOnly}</span>}
        </p>
        {description !== '' && (
          <p className="ms-note ma-wrap" dir="auto">
            <Printed text={description} />
          </p>
        )}
      </div>
      <select
        className="ms-input ma-select"
        aria-label={texts.toolAction(name)}
        value={action ?? (trustHints && isReadOnly ? 'allow' : 'ask')}
        onChange={(event) => void agent.attempt(() => set(event.target.value as ToolAction))}
      >
        {actions.map((each) => (
          <option key={each} value={each}>
            {texts.toolActions[each]}
          </option>
        ))}
      </select>
    </li>
  );
}
