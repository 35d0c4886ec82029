import { Fragment, useState, type ReactElement } from 'react';
import type { ProviderName, Result } from '../../contract/index.ts';
import { Button, Failure, IconButton } from '../parts/controls.tsx';
import { useAgent, useAgentState } from '../state/use-agent.ts';
import { useAsked } from '../state/use-asked.ts';
import { texts } from '../words/texts.ts';
import { ModelProblem } from './model-problem.tsx';
import { Row } from './row.tsx';

const providers: readonly ProviderName[] = ['anthropic', 'openai', 'google', 'openai-compatible'];
type Place = Result<'list-keys'>[number]['place'];

/** Keys go to main and never come back: the page knows only where one is. */
export function Keys(): ReactElement {
  const agent = useAgent();
  // With another server its key goes.
  const baseUrl = useAgentState(({ settings }) => settings?.baseUrl);
  const asked = useAsked(() => agent.call('list-keys', {}), [agent, baseUrl]);
  const change = async (provider: ProviderName, key: string | null): Promise<boolean> => {
    const isDone = await agent.attempt(() => agent.call('set-key', { provider, key }));
    if (isDone) {
      asked.again();
      await agent.loadModels();
    }
    return isDone;
  };
  return (
    <section className="ma-keys" aria-label={texts.keys}>
      <p className="ms-message-title">{texts.keys}</p>
      <p className="ms-note">{texts.keysHint}</p>
      {asked.problem !== undefined && (
        <Failure title={asked.problem.message} retry={texts.retry} onRetry={asked.again} />
      )}
      {providers.map((provider) => (
        <Fragment key={provider}>
          <Key
            provider={provider}
            place={asked.value?.find((one) => one.provider === provider)?.place}
            onChange={(key) => change(provider, key)}
          />
          {/* That of the server stands at its address. */}
          {provider !== 'openai-compatible' && <ModelProblem provider={provider} />}
        </Fragment>
      ))}
    </section>
  );
}

function Key({
  provider,
  place,
  onChange,
}: {
  provider: ProviderName;
  place: Place | undefined;
  onChange: (key: string | null) => Promise<boolean>;
}): ReactElement {
  const [text, setText] = useState('');
  const [isReplaced, setReplaced] = useState(false);
  const name = texts.providers[provider];
  const keep = async (): Promise<void> => {
    if (text.trim() === '' || !(await onChange(text.trim()))) return;
    setText('');
    setReplaced(false);
  };
  return (
    <Row label={name} hint={place === undefined ? texts.keyNone : texts.keyIn[place]}>
      {() =>
        place !== undefined && !isReplaced ? (
          <span className="ma-actions">
            <Button onClick={() => setReplaced(true)}>{texts.keyReplace}</Button>
            <IconButton icon="trash" label={texts.keyRemove(name)} onClick={() => void onChange(null)} />
          </span>
        ) : (
          <form
            className="ma-key"
            onSubmit={(event) => {
              event.preventDefault();
              void keep();
            }}
          >
            <input
              type="password"
              className="ms-input"
              aria-label={texts.keyOf(name)}
              placeholder={texts.keyOf(name)}
              autoComplete="off"
              value={text}
              onChange={(event) => setText(event.target.value)}
            />
            <Button type="submit">{texts.keySave}</Button>
          </form>
        )
      }
    </Row>
  );
}
