import { useState, type ReactElement } from 'react';
import type { ModelServer } from '../../shared/contract/index.ts';
import { Button, Failure } from '../parts/controls.tsx';
import { problemOf } from '../state/problem.ts';
import { useAgent } from '../state/use-agent.ts';
import { texts } from '../words/texts.ts';
import { Field } from './field.tsx';
import { SecretRows, valuesOf, type Secret } from './secret-rows.tsx';

/** Adds or changes a server of models. Its key and the values of its headers never come back to the page. */
export function ModelServerForm({
  server,
  onDone,
}: {
  server: ModelServer | undefined;
  onDone: (isChanged: boolean) => void;
}): ReactElement {
  const agent = useAgent();
  const [name, setName] = useState(server?.name ?? '');
  const [url, setUrl] = useState(server?.url ?? '');
  const [models, setModels] = useState(server?.models.join('\n') ?? '');
  const [key, setKey] = useState('');
  const [isKeyRemoved, removeKey] = useState(false);
  const [headers, setHeaders] = useState<readonly Secret[]>(() =>
    (server?.headers ?? []).map((name, key) => ({ key, name, value: '', isKept: true })),
  );
  const [problem, setProblem] = useState<string>();
  const [isSent, setSent] = useState(false);
  const hasKey = server !== undefined && server.key !== null && !isKeyRemoved;
  const save = async (): Promise<void> => {
    setSent(true);
    try {
      const given = key.trim() === '' ? (isKeyRemoved ? { key: null } : {}) : { key: key.trim() };
      const draft = {
        name: name.trim(),
        url: url.trim(),
        models: linesOf(models),
        headers: valuesOf(headers),
        ...given,
      };
      await agent.call('save-model-server', { id: server?.id ?? null, server: draft });
      onDone(true);
    } catch (error) {
      setProblem(problemOf(error).message);
      setSent(false);
    }
  };
  return (
    <form
      className="ms-settings ma-server"
      aria-label={texts.modelServer}
      onSubmit={(event) => {
        event.preventDefault();
        void save();
      }}
    >
      <Field label={texts.serverName} hint={texts.modelServerNameHint} value={name} onChange={setName} autoFocus />
      <Field label={texts.serverUrl} hint={texts.baseUrlHint} value={url} onChange={setUrl} />
      <Field
        label={texts.modelServerKey}
        hint={hasKey ? texts.keyIn[server.key ?? 'file'] : texts.modelServerKeyHint}
        value={key}
        onChange={setKey}
        placeholder={hasKey ? texts.serverSecretKept : ''}
        isSecret
      />
      {hasKey && (
        <div className="ma-actions">
          <Button icon="trash" onClick={() => removeKey(true)}>
            {texts.modelServerKeyRemove}
          </Button>
        </div>
      )}
      <Field
        label={texts.modelServerModels}
        hint={texts.modelServerModelsHint}
        value={models}
        onChange={setModels}
        isLong
      />
      <SecretRows
        label={texts.serverSecrets.http}
        hint={texts.modelServerHeadersHint}
        secrets={headers}
        onChange={setHeaders}
      />
      {problem !== undefined && <Failure title={problem} retry={texts.retry} />}
      <div className="ma-actions">
        <Button type="submit" kind="primary" {...(isSent && { whyNot: texts.loading })}>
          {texts.serverSave}
        </Button>
        <Button onClick={() => onDone(false)}>{texts.cancel}</Button>
      </div>
    </form>
  );
}

function linesOf(text: string): string[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
}
