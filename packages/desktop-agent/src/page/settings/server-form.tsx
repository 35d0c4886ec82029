import { Choice } from '@mustard-sandbox/cards';
import { useState, type ReactElement } from 'react';
import type { Server, ServerDraft } from '../../shared/contract/index.ts';
import { Button, Failure } from '../parts/controls.tsx';
import { problemOf } from '../state/problem.ts';
import { useAgent } from '../state/use-agent.ts';
import { texts } from '../words/texts.ts';
import { Field } from './field.tsx';
import { SwitchRow } from './row.tsx';
import { SecretRows, valuesOf, type Secret } from './secret-rows.tsx';

const kinds = (['stdio', 'http'] as const).map((value) => ({ value, label: texts.serverKinds[value] }));

/** Adds or changes a server. */
export function ServerForm({ server, onDone }: { server: Server | undefined; onDone: () => void }): ReactElement {
  const agent = useAgent();
  const [kind, setKind] = useState<Server['kind']>(server?.kind ?? 'stdio');
  const [name, setName] = useState(server?.name ?? '');
  const [command, setCommand] = useState(server?.command ?? '');
  const [args, setArgs] = useState(server?.args.join('\n') ?? '');
  const [url, setUrl] = useState(server?.url ?? '');
  const [secrets, setSecrets] = useState<readonly Secret[]>(() => secretsOf(server));
  const [trustHints, setTrustHints] = useState(server?.trustHints ?? false);
  const [problem, setProblem] = useState<string>();
  const [isSent, setSent] = useState(false);
  const save = async (): Promise<void> => {
    setSent(true);
    try {
      const shared = { trustHints, enabled: server?.enabled ?? true };
      const given = valuesOf(secrets);
      const lines = args.split('\n').map((line) => line.trim());
      const draft: ServerDraft =
        kind === 'http'
          ? { kind, url: url.trim(), headers: given, ...shared }
          : { kind, command: command.trim(), args: lines.filter((line) => line !== ''), env: given, ...shared };
      const saved = { name: name.trim(), was: server?.name ?? null, server: draft };
      agent.store.set({ servers: await agent.call('save-server', saved) });
      onDone();
    } catch (error) {
      setProblem(problemOf(error).message);
      setSent(false);
    }
  };
  return (
    <form
      className="ms-settings ma-server-form"
      onSubmit={(event) => {
        event.preventDefault();
        void save();
      }}
    >
      <Field label={texts.serverName} hint={texts.serverNameHint} value={name} onChange={setName} autoFocus />
      <Choice label={texts.serverKind} options={kinds} value={kind} onChange={setKind} />
      {kind === 'stdio' ? (
        <>
          <Field label={texts.serverCommand} hint={texts.serverCommandHint} value={command} onChange={setCommand} />
          <Field label={texts.serverArgs} value={args} onChange={setArgs} isLong />
        </>
      ) : (
        <Field label={texts.serverUrl} value={url} onChange={setUrl} />
      )}
      <SecretRows label={texts.serverSecrets[kind]} secrets={secrets} onChange={setSecrets} />
      <SwitchRow label={texts.serverTrust} hint={texts.serverTrustHint} checked={trustHints} onChange={setTrustHints} />
      {problem !== undefined && <Failure title={problem} retry={texts.retry} />}
      <div className="ms-dialog-actions">
        <Button onClick={onDone}>{texts.cancel}</Button>
        <span className="ms-spacer" />
        <Button type="submit" kind="primary" aria-disabled={isSent}>
          {texts.serverSave}
        </Button>
      </div>
    </form>
  );
}

function secretsOf(server: Server | undefined): Secret[] {
  return (server?.secrets ?? []).map((name, key) => ({ key, name, value: '', isKept: true }));
}
