import { useEffect, useState, type ReactElement } from 'react';
import type { Server } from '../../shared/contract/index.ts';
import { Button, Empty, Failure, Skeleton } from '../parts/controls.tsx';
import { problemOf } from '../state/problem.ts';
import { useAgent, useAgentState } from '../state/use-agent.ts';
import { texts } from '../words/texts.ts';
import { ServerForm } from './server-form.tsx';
import { ServerRow } from './server-row.tsx';

/** MCP servers and their tools. */
export function ToolsSettings(): ReactElement {
  const agent = useAgent();
  const servers = useAgentState((state) => state.servers);
  const [problem, setProblem] = useState<string>();
  const [edited, edit] = useState<Server | 'new'>();
  const load = (): void => {
    setProblem(undefined);
    agent.call('list-servers', {}).then(
      (list) => agent.store.set({ servers: list }),
      (error: unknown) => setProblem(problemOf(error).message),
    );
  };
  useEffect(load, [agent]);
  if (edited !== undefined) {
    return <ServerForm server={edited === 'new' ? undefined : edited} onDone={() => edit(undefined)} />;
  }
  if (problem !== undefined) return <Failure title={problem} retry={texts.retry} onRetry={load} />;
  if (servers === undefined) return <Skeleton lines={4} label={texts.loading} />;
  const add = (
    <Button icon="plus" onClick={() => edit('new')}>
      {texts.serverAdd}
    </Button>
  );
  if (servers.length === 0) {
    return (
      <Empty title={texts.serversNone} actions={add}>
        {texts.serversNoneHint}
      </Empty>
    );
  }
  return (
    <div className="ms-settings">
      <p className="ms-note">{texts.serversHint}</p>
      {servers.map((server) => (
        <ServerRow key={server.name} server={server} onEdit={() => edit(server)} />
      ))}
      <div className="ma-actions">{add}</div>
    </div>
  );
}
