import { useState, type ReactElement } from 'react';
import type { Settings } from '../../shared/contract/index.ts';
import { Button } from '../parts/controls.tsx';
import { useAgent } from '../state/use-agent.ts';
import { texts } from '../words/texts.ts';
import { Field } from './field.tsx';
import { SwitchRow } from './row.tsx';

/** What commands reach by the network: nothing, until a person says otherwise. Key it by the domains that are kept. */
export function NetworkSettings({ network }: Pick<Settings, 'network'>): ReactElement {
  const agent = useAgent();
  const kept = network.domains.join('\n');
  const [typed, setTyped] = useState(kept);
  const change = (next: Partial<Settings['network']>): void =>
    void agent.attempt(() => agent.updateSettings({ network: { ...network, ...next } }));
  const domains = typed.split(/[\s,]+/).filter(Boolean);
  return (
    <>
      <SwitchRow
        label={texts.registries}
        hint={texts.registriesHint}
        checked={network.registries}
        onChange={(registries) => change({ registries })}
      />
      <div className="ms-setting">
        <Field label={texts.domains} hint={texts.domainsHint} value={typed} onChange={setTyped} isLong />
        {domains.join('\n') !== kept && <Button onClick={() => change({ domains })}>{texts.domainsSave}</Button>}
      </div>
    </>
  );
}
