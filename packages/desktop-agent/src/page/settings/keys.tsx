import { Fragment, useState, type ReactElement } from 'react';
import { providerName, type KeyStorage, type ProviderName } from '../../shared/contract/index.ts';
import { Button, Failure, IconButton } from '../parts/controls.tsx';
import { useAgent } from '../state/use-agent.ts';
import { useAsked } from '../state/use-asked.ts';
import { texts } from '../words/texts.ts';
import { ModelProblem } from './model-problem.tsx';
import { Row } from './row.tsx';

/** The keys of providers. They go to the server and never come back; the page knows only where a key is stored. */
export function Keys(): ReactElement {
  const agent = useAgent();
  const asked = useAsked(() => agent.call('list-keys', {}), [agent]);
  const change = async (provider: ProviderName, key: string | null): Promise<boolean> => {
    const isDone = await agent.attempt(() => agent.call('set-key', { provider, key }));
    if (isDone) asked.again();
    return isDone;
  };
  return (
    <section className="ma-keys" aria-label={texts.keys}>
      <p className="ms-message-title">{texts.keys}</p>
      <p className="ms-note">{texts.keysHint}</p>
      {asked.problem !== undefined && (
        <Failure title={asked.problem.message} retry={texts.retry} onRetry={asked.again} />
      )}
      {providerName.options.map((provider) => (
        <Fragment key={provider}>
          <Key
            provider={provider}
            storage={asked.value?.find((one) => one.provider === provider)?.storage}
            onChange={(key) => change(provider, key)}
          />
          <ModelProblem provider={provider} />
        </Fragment>
      ))}
    </section>
  );
}

function Key({
  provider,
  storage,
  onChange,
}: {
  provider: ProviderName;
  storage: KeyStorage | undefined;
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
    <Row label={name} hint={storage === undefined ? texts.keyNone : texts.keyIn[storage]}>
      {() =>
        storage !== undefined && !isReplaced ? (
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
