import { Icon, oneLine, Printed, type IconName } from '@mustard-sandbox/cards';
import { useState, type ReactElement } from 'react';
import type { Server, ServerDraft } from '../../shared/contract/index.ts';
import { Confirm } from '../parts/confirm.tsx';
import { Button, IconButton } from '../parts/controls.tsx';
import { useAgent } from '../state/use-agent.ts';
import { texts } from '../words/texts.ts';
import { ServerTools } from './server-tools.tsx';

const icons: Record<Server['state'], IconName> = {
  off: 'stop',
  idle: 'clock',
  connecting: 'running',
  connected: 'check',
  failed: 'warning',
};

/** One server: its state, its tools, and its actions. */
export function ServerRow({ server, onEdit }: { server: Server; onEdit: () => void }): ReactElement {
  const agent = useAgent();
  const [isAsked, setAsked] = useState(false);
  const { name, state, error, tools, enabled } = server;
  const shown = oneLine(name);
  const use = async (isUsed: boolean): Promise<void> => {
    const change = { ...draftOf(server), enabled: isUsed };
    agent.store.set({ servers: await agent.call('save-server', { name, was: name, server: change }) });
  };
  const remove = async (): Promise<void> => {
    agent.store.set({ servers: await agent.call('remove-server', { name }) });
  };
  return (
    <section className="ma-server" aria-label={shown} data-state={state}>
      <div className="ma-server-head">
        <Icon name={icons[state]} />
        <div className="ma-server-words">
          <p className="ms-message-title ma-cut">{shown}</p>
          <p className="ms-note ma-cut" dir="ltr" title={oneLine(targetOf(server))}>
            {oneLine(targetOf(server))}
          </p>
        </div>
        <span className="ms-note" role="status">
          {texts.serverStates[state]}
        </span>
        <input
          type="checkbox"
          role="switch"
          className="ms-switch"
          aria-label={texts.serverEnabled(shown)}
          checked={enabled}
          onChange={(event) => void agent.attempt(() => use(event.target.checked))}
        />
        <IconButton icon="pencil" label={texts.serverEdit(shown)} onClick={onEdit} />
        <IconButton icon="trash" label={texts.serverRemove(shown)} onClick={() => setAsked(true)} />
      </div>
      {state === 'failed' && (
        <div className="ma-notice" data-kind="error">
          <p className="ma-wrap">
            <Printed text={error} />
          </p>
          <div className="ma-actions">
            <Button onClick={() => void agent.attempt(() => agent.call('connect-servers', {}))}>
              {texts.serverConnect}
            </Button>
          </div>
        </div>
      )}
      {tools.length > 0 && <ServerTools tools={tools} trustHints={server.trustHints} />}
      {isAsked && (
        <Confirm
          title={texts.serverRemoveTitle(shown)}
          body={texts.serverRemoveBody}
          onSafe={() => setAsked(false)}
          answers={[
            {
              label: texts.serverRemoveDo,
              kind: 'danger',
              run: () => {
                setAsked(false);
                void agent.attempt(remove);
              },
            },
          ]}
        />
      )}
    </section>
  );
}

function targetOf({ kind, command, args, url }: Server): string {
  return kind === 'http' ? url : [command, ...args].join(' ');
}

/** The stored server as a draft. The values stay in the server. */
function draftOf({ kind, command, args, url, secrets, trustHints, enabled }: Server): ServerDraft {
  const kept = Object.fromEntries(secrets.map((name) => [name, null]));
  if (kind === 'http') return { kind, url, headers: kept, trustHints, enabled };
  return { kind, command, args, env: kept, trustHints, enabled };
}
