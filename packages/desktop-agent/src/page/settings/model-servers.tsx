import { oneLine } from '@mustard-sandbox/cards';
import { useState, type ReactElement } from 'react';
import type { ModelServer } from '../../shared/contract/index.ts';
import { Confirm } from '../parts/confirm.tsx';
import { Button, Failure, IconButton } from '../parts/controls.tsx';
import { useAgent, useAgentState } from '../state/use-agent.ts';
import { useAsked } from '../state/use-asked.ts';
import { texts } from '../words/texts.ts';
import { ModelProblem } from './model-problem.tsx';
import { ModelServerForm } from './model-server-form.tsx';

/** The servers of models that the person has added. */
export function ModelServers(): ReactElement {
  const agent = useAgent();
  // A change in another window also loads the models again.
  const models = useAgentState((state) => state.models);
  const asked = useAsked(() => agent.call('list-model-servers', {}), [agent, models]);
  const [edited, edit] = useState<string>();
  const [removed, remove] = useState<ModelServer>();
  const servers = asked.value ?? [];
  const isNew = edited === 'new';
  const done = (isChanged: boolean): void => {
    edit(undefined);
    if (isChanged) asked.again();
  };
  return (
    <section className="ma-keys" aria-label={texts.modelServers}>
      <p className="ms-message-title">{texts.modelServers}</p>
      <p className="ms-note">{texts.modelServersHint}</p>
      {asked.problem !== undefined && (
        <Failure title={asked.problem.message} retry={texts.retry} onRetry={asked.again} />
      )}
      {servers.map((server) =>
        edited === server.id ? (
          <ModelServerForm key={server.id} server={server} onDone={done} />
        ) : (
          <ServerRow key={server.id} server={server} onEdit={() => edit(server.id)} onRemove={() => remove(server)} />
        ),
      )}
      {isNew ? (
        <ModelServerForm server={undefined} onDone={done} />
      ) : (
        <div className="ma-actions">
          <Button icon="plus" onClick={() => edit('new')}>
            {texts.serverAdd}
          </Button>
        </div>
      )}
      {removed !== undefined && (
        <Confirm
          title={texts.serverRemoveTitle(oneLine(removed.name))}
          body={texts.modelServerRemoveBody}
          onSafe={() => remove(undefined)}
          answers={[
            {
              label: texts.serverRemoveDo,
              kind: 'danger',
              run: () => {
                remove(undefined);
                void agent
                  .attempt(() => agent.call('remove-model-server', { id: removed.id }))
                  .then((isDone) => isDone && asked.again());
              },
            },
          ]}
        />
      )}
    </section>
  );
}

function ServerRow({
  server,
  onEdit,
  onRemove,
}: {
  server: ModelServer;
  onEdit: () => void;
  onRemove: () => void;
}): ReactElement {
  const name = oneLine(server.name);
  return (
    <section className="ma-server" aria-label={name}>
      <div className="ma-server-head">
        <div className="ma-server-words">
          <p className="ms-message-title ma-cut">{name}</p>
          <p className="ms-note ma-cut" dir="ltr" title={oneLine(server.url)}>
            {oneLine(server.url)}
          </p>
          <p className="ms-note ma-cut">{texts.modelServerHas(server)}</p>
        </div>
        <IconButton icon="pencil" label={texts.serverEdit(name)} onClick={onEdit} />
        <IconButton icon="trash" label={texts.serverRemove(name)} onClick={onRemove} />
      </div>
      <ModelProblem provider={server.id} />
    </section>
  );
}
