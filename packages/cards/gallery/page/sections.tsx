import { useState, type ReactElement, type ReactNode } from 'react';
import type { ConsentRequest, SettingInfo, Settings, SizeSummary } from '@mustard-sandbox/agent-tool';
import {
  AttachmentList,
  BashCard,
  ConsentDialog,
  createConsentQueue,
  FirstAttachTip,
  FirstRunStrip,
  ModelHintBanner,
  SandboxNotice,
  ScriptCard,
  ScriptSettings,
  SizePolicyDialog,
  type AttachmentItem,
  type Run,
} from '../../src/index.ts';
import { Calls } from './calls.tsx';
import { charts, chartTexts } from './chart-samples.ts';
import { loadRows, tables } from './table-samples.ts';
import { commands, extremes, fullOutput, hostileText, outputs, states } from './samples.ts';

function Section({ id, title, children }: { id: string; title: string; children: ReactNode }): ReactElement {
  return (
    <section id={id} aria-labelledby={`${id}-title`}>
      <h2 id={`${id}-title`}>{title}</h2>
      {children}
    </section>
  );
}

/** What is not there takes as long as a host needs to see that. */
async function loadOutput(name: string): Promise<string> {
  const text = chartTexts[name];
  if (text === undefined) throw new Error('There is no such file.');
  return text;
}

/** Cards with what they would ask of a host, told below them. */
function Cards({
  id,
  title,
  runs,
  open,
}: {
  id: string;
  title: string;
  runs: Record<string, Run>;
  open?: boolean;
}): ReactElement {
  const [asked, setAsked] = useState('');
  return (
    <Section id={id} title={title}>
      {Object.entries(runs).map(([name, run]) => (
        <div key={name} className="sample" data-sample={name}>
          <p className="sample-name">{name}</p>
          <ScriptCard
            run={run}
            {...(open === true && { defaultOpen: true })}
            onRerun={() => setAsked(`rerun ${name}`)}
            onRetry={(guidance) => setAsked(`retry ${name}: ${guidance}`)}
            onManageScripts={() => setAsked('settings')}
            loadFullOutput={async () => fullOutput()}
            loadOutput={loadOutput}
            loadRows={loadRows}
          />
        </div>
      ))}
      <output className="asked">{asked}</output>
    </Section>
  );
}

const consentRequest: ConsentRequest = {
  script: `${'script' in states['success']! ? states['success'].script : ''}\n// \u202E this is not shown as it is`,
  description: 'Count the error codes of the log',
  preview: '',
  files: [
    { name: 'server.log', size: 83_886_080 },
    { name: 'notes.txt', size: 2_048 },
  ],
  root: '/home/ada/shop',
};
const hostileRequest: ConsentRequest = { script: hostileText, preview: '', files: [], description: hostileText };
const hostFunctionRequest: ConsentRequest = {
  script: "deploy('production')",
  preview: '',
  files: [],
  hostFunction: 'deploy',
  args: ['production', { force: true }],
};
const fileRequest = (file: NonNullable<ConsentRequest['file']>): ConsentRequest => ({
  script: file.path,
  preview: '',
  files: [],
  file,
});
/** What else can be asked with the same dialog. */
const otherRequests: Record<string, ConsentRequest> = {
  'a command': { script: 'npm test', command: 'npm test && echo "done"\u202E', preview: '', files: [] },
  'a file to read': fileRequest({ action: 'read', path: 'config/production.json' }),
  'a file to write': fileRequest({
    action: 'write',
    path: 'notes/errors.md',
    content: '# Errors\n\nconst is a word.\n',
  }),
  'a file that runs': fileRequest({
    action: 'write',
    path: '.husky/pre-commit',
    content: '#!/bin/sh\nnpm test\n',
    why: 'git runs it at each commit',
  }),
};
const sizes: SizeSummary = {
  totalBytes: 1_258_291,
  thresholdBytes: 524_288,
  truncateToBytes: 262_144,
  sources: [
    { source: 'docs/**/*.md', isPattern: true, files: 14, bytes: 734_003 },
    { source: 'server.log', isPattern: false, files: 1, bytes: 524_288 },
  ],
};

function Dialogs(): ReactElement {
  const [queue] = useState(createConsentQueue);
  const [isAskingSize, setAskingSize] = useState(false);
  const [said, setSaid] = useState('');
  const ask = (requests: ConsentRequest[]): void => {
    const { signal } = new AbortController();
    void Promise.all(requests.map((request) => queue.ask(request, { signal }))).then((all) => setSaid(all.join(', ')));
  };
  return (
    <Section id="dialogs" title="Questions">
      <p className="buttons">
        <button type="button" onClick={() => ask([consentRequest])}>
          Ask for consent
        </button>
        <button type="button" onClick={() => ask([consentRequest, hostFunctionRequest, hostileRequest])}>
          Ask three times
        </button>
        {Object.entries(otherRequests).map(([name, request]) => (
          <button key={name} type="button" onClick={() => ask([request])}>
            Ask about {name}
          </button>
        ))}
        <button type="button" onClick={() => setAskingSize(true)}>
          Ask about sizes
        </button>
      </p>
      <output className="asked">{said}</output>
      <ConsentDialog queue={queue} />
      {isAskingSize && (
        <SizePolicyDialog
          summary={sizes}
          onAnswer={(answer) => {
            setAskingSize(false);
            setSaid(answer);
          }}
        />
      )}
    </Section>
  );
}

const attachments: AttachmentItem[] = [
  { name: 'server.log', size: 83_886_080, mediaType: 'text/plain', path: '/home/ada/shop/.dyad/media/3f2a.log' },
  { name: 'screenshot.png', size: 412_000, mediaType: 'image/png', path: '/home/ada/shop/.dyad/media/77b1.png' },
  { name: 'a name that is much longer than a chip is wide.ndjson', size: 52_428_800, storedBytes: 19_922_944 },
  { name: 'gone.csv', size: 10, problem: 'The file is no longer there.' },
];

function Attachments(): ReactElement {
  const [items, setItems] = useState(attachments);
  return (
    <Section id="attachments" title="Attachments">
      <AttachmentList
        attachments={items}
        onRemove={(name) => setItems((all) => all.filter((item) => item.name !== name))}
      />
    </Section>
  );
}

function Notices(): ReactElement {
  const [hidden, setHidden] = useState<string[]>([]);
  const dismiss = (name: string) => () => setHidden((all) => [...all, name]);
  return (
    <Section id="notices" title="Notices">
      <div className="stack">
        {!hidden.includes('tip') && <FirstAttachTip onDismiss={dismiss('tip')} onLearnMore={() => {}} />}
        {!hidden.includes('tip-all') && <FirstAttachTip sees="all" onDismiss={dismiss('tip-all')} />}
        {!hidden.includes('strip') && <FirstRunStrip onDismiss={dismiss('strip')} onLearnMore={() => {}} />}
        {!hidden.includes('hint') && (
          <ModelHintBanner
            message="Your model didn't read the file — try a larger model or paste the contents inline."
            onDismiss={dismiss('hint')}
            onChooseModel={() => {}}
          />
        )}
        <SandboxNotice
          health={{
            state: 'unavailable',
            message: 'The sidecar could not be started: no memory is left on this machine.',
            retryAt: '2026-03-02T10:00:30Z',
          }}
        />
        <SandboxNotice
          health={{ state: 'ready', unconfined: 'bubblewrap is not installed. Install it: apt install bubblewrap.' }}
        />
      </div>
    </Section>
  );
}

// As the tool's `settingsInfo` says; the live part of the page has it from there.
const info: Record<keyof Settings, SettingInfo> = {
  enabled: {
    type: 'boolean',
    label: 'Scripts',
    description: 'Lets the model run small read-only scripts over attached files and the project.',
    default: true,
  },
  consent: {
    type: 'choice',
    label: 'Permission',
    description: 'Whether you are asked before a script runs.',
    default: 'ask',
    choices: [
      { value: 'ask', label: 'Ask each time' },
      { value: 'always', label: 'Always allow' },
      { value: 'never', label: 'Never allow' },
    ],
  },
  timeoutMs: {
    type: 'number',
    label: 'Time limit',
    description: 'How long one script may compute. Longer suits files of hundreds of megabytes.',
    default: 2_000,
    min: 100,
    max: 10_000,
    step: 100,
    unit: 'ms',
  },
  engine: {
    type: 'choice',
    label: 'Engine',
    description: 'What runs scripts: QuickJS is JavaScript, MustardScript is a part of it that starts sooner.',
    default: 'auto',
    choices: [
      { value: 'auto', label: 'Automatic' },
      { value: 'quickjs', label: 'QuickJS' },
      { value: 'mustardscript', label: 'MustardScript' },
    ],
  },
};

function SettingsSection(): ReactElement {
  const [settings, setSettings] = useState<Settings>({
    enabled: true,
    consent: 'ask',
    timeoutMs: 2_000,
    engine: 'auto',
  });
  const [items, setItems] = useState(attachments.slice(0, 2));
  return (
    <Section id="settings" title="Settings">
      <ScriptSettings
        settings={settings}
        info={info}
        onChange={(change) => setSettings((before) => ({ ...before, ...change }))}
        mediaPath=".dyad/media/"
        onOpenMedia={() => {}}
        attachments={items}
        onRemoveAttachment={(name) => setItems((all) => all.filter((item) => item.name !== name))}
      />
    </Section>
  );
}

function Commands(): ReactElement {
  return (
    <Section id="commands" title="Commands">
      {Object.entries(commands).map(([name, run]) => (
        <div key={name} className="sample" data-sample={`command ${name}`}>
          <BashCard run={run} />
        </div>
      ))}
    </Section>
  );
}

/** Two hundred cards, as in a long chat. */
function Many(): ReactElement {
  const [isShown, setShown] = useState(location.hash === '#many');
  const all = Object.values(states).filter((run) => !('status' in run));
  return (
    <Section id="many" title="200 cards">
      {isShown ? (
        <div className="stack">
          {Array.from({ length: 200 }, (_, index) => (
            <ScriptCard key={index} run={all[index % all.length] as Run} />
          ))}
        </div>
      ) : (
        <p className="buttons">
          <button type="button" onClick={() => setShown(true)}>
            Show 200 cards
          </button>
        </p>
      )}
    </Section>
  );
}

export function AllSections(): ReactElement {
  return (
    <>
      <Cards id="states" title="States" runs={states} />
      <Calls />
      <Cards id="outputs" title="Output as data" runs={outputs} open />
      <Cards id="charts" title="Charts" runs={charts} open />
      <Cards id="tables" title="Stored tables" runs={tables} open />
      <Dialogs />
      <Attachments />
      <Notices />
      <SettingsSection />
      <Commands />
      <Cards id="extremes" title="Extremes" runs={extremes} />
      <Many />
    </>
  );
}
