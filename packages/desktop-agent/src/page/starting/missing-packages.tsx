import { oneLine } from '@mustard-sandbox/cards';
import { useState, type ReactElement } from 'react';
import { Button, Failure } from '../parts/controls.tsx';
import { problemOf } from '../state/problem.ts';
import { useAgent, useAgentState } from '../state/use-agent.ts';
import { useAsked } from '../state/use-asked.ts';
import { texts } from '../words/texts.ts';

/** Asks before the packages of a new or a cloned app are installed, and names all of them. */
export function MissingPackages({ appId }: { appId: string }): ReactElement | null {
  const agent = useAgent();
  const filesVersion = useAgentState((state) => state.filesVersion);
  const { value } = useAsked(() => agent.call('read-packages', { appId }), [agent, appId, filesVersion]);
  const [isInstalling, setInstalling] = useState(false);
  const [problem, setProblem] = useState<string>();
  if (value === undefined || value.installed || value.names.length === 0) return null;
  const install = async (): Promise<void> => {
    setInstalling(true);
    setProblem(undefined);
    try {
      await agent.call('install-packages', { appId });
      agent.toast({ kind: 'info', text: texts.packagesInstalled });
    } catch (error) {
      setProblem(problemOf(error).message);
    } finally {
      setInstalling(false);
    }
  };
  return (
    <section className="ma-notice" data-kind="quiet" aria-label={texts.packagesTitle}>
      <p className="ma-strong">{texts.packagesTitle}</p>
      <p>{value.refused ?? texts.packagesBody(value.manager, value.names.length)}</p>
      {value.refused === null && (
        <>
          <ul className="ma-package-names" aria-label={texts.packagesTitle} tabIndex={0}>
            {value.names.map((name) => (
              <li key={name}>
                <code dir="ltr">{oneLine(name)}</code>
              </li>
            ))}
          </ul>
          {value.hosts.length > 0 && (
            <p className="ma-wrap">{texts.packagesHosts(value.hosts.map(oneLine).join(', '))}</p>
          )}
          <div className="ma-actions">
            <Button
              icon="package"
              whyNot={isInstalling ? texts.packagesInstalling : undefined}
              onClick={() => void install()}
            >
              {texts.packagesInstall(value.manager)}
            </Button>
            <span role="status" className="ma-quiet">
              {isInstalling && texts.packagesInstalling}
            </span>
          </div>
        </>
      )}
      {problem !== undefined && <Failure title={problem} retry={texts.retry} />}
    </section>
  );
}
