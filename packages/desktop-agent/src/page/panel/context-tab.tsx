import { oneLine, useLanguage } from '@mustard-sandbox/cards';
import { useId, useState, type ReactElement } from 'react';
import { VList } from 'virtua';
import type { Context, ContextGlobs } from '../../shared/contract/index.ts';
import { Button, Failure, Skeleton } from '../parts/controls.tsx';
import { problemOf } from '../state/problem.ts';
import { useAgent, useAgentState, useApp } from '../state/use-agent.ts';
import { useAsked } from '../state/use-asked.ts';
import { texts } from '../words/texts.ts';

/** Shows which files go into the prompt of Ask and Build, how many tokens they have, and what is left out. */
export function ContextTab({ appId }: { appId: string }): ReactElement {
  const agent = useAgent();
  const app = useApp();
  const filesVersion = useAgentState((state) => state.filesVersion);
  const asked = useAsked(() => agent.call('get-context', { appId }), [agent, appId, filesVersion]);
  return (
    <div className="ma-fill">
      <p className="ma-quiet">{texts.contextIntro}</p>
      {app !== undefined && (
        <Globs
          globs={app.context}
          onSave={async (context) => asked.set(await agent.call('set-context', { appId, context }))}
        />
      )}
      {asked.problem !== undefined && (
        <Failure title={asked.problem.message} retry={texts.retry} onRetry={asked.again} />
      )}
      {asked.value === undefined ? (
        asked.isAsking && <Skeleton lines={6} label={texts.loading} />
      ) : (
        <Files context={asked.value} />
      )}
    </div>
  );
}

const linesOf = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean);

function Globs({
  globs,
  onSave,
}: {
  globs: ContextGlobs;
  onSave: (globs: ContextGlobs) => Promise<void>;
}): ReactElement {
  const id = useId();
  const [include, setInclude] = useState(globs.include.join('\n'));
  const [exclude, setExclude] = useState(globs.exclude.join('\n'));
  const [strict, setStrict] = useState(globs.strict);
  const [said, setSaid] = useState<{ text: string; isProblem: boolean }>();
  const save = async (): Promise<void> => {
    try {
      await onSave({ include: linesOf(include), exclude: linesOf(exclude), strict });
      setSaid({ text: texts.contextSaved, isProblem: false });
    } catch (error) {
      setSaid({ text: problemOf(error).message, isProblem: true });
    }
  };
  return (
    <form
      className="ma-globs"
      onSubmit={(event) => {
        event.preventDefault();
        void save();
      }}
    >
      {(
        [
          ['include', texts.include, include, setInclude],
          ['exclude', texts.exclude, exclude, setExclude],
        ] as const
      ).map(([name, label, value, set]) => (
        <label key={name} className="ma-field">
          <span className="ma-strong">{label}</span>
          <textarea
            className="ms-input ma-mono"
            rows={3}
            dir="ltr"
            spellCheck={false}
            aria-describedby={`${id}-hint`}
            value={value}
            onChange={(event) => set(event.target.value)}
          />
        </label>
      ))}
      <p id={`${id}-hint`} className="ma-quiet ma-globs-wide">
        {texts.globHint}
      </p>
      <label className="ma-check-row ma-globs-wide">
        <input
          type="checkbox"
          role="switch"
          className="ms-switch"
          checked={strict}
          onChange={(event) => setStrict(event.target.checked)}
        />
        <span>
          {texts.strict} <span className="ma-quiet">{texts.strictHint}</span>
        </span>
      </label>
      <div className="ma-actions ma-globs-wide">
        <Button type="submit">{texts.contextSave}</Button>
        <span role="status" className={said?.isProblem === true ? 'ma-error ma-wrap' : 'ma-quiet'}>
          {said?.text}
        </span>
      </div>
    </form>
  );
}

function Files({ context }: { context: Context }): ReactElement {
  const { format } = useLanguage();
  const { files, tokens, taken, omitted, complete, rules, skills } = context;
  return (
    <>
      <p className="ma-tab-head">
        <span className="ma-strong">{texts.contextTotal(taken, tokens)}</span>
        {omitted > 0 && <span className="ma-warning">{texts.contextOmitted(omitted)}</span>}
      </p>
      {rules.length > 0 && (
        <ul className="ma-quiet ma-context-rules" aria-label={texts.contextRulesTitle} tabIndex={0}>
          {rules.map(({ path, tokens: of, cut }) => (
            <li key={path} dir="auto">
              {texts.contextRules(oneLine(path), of, cut)}
            </li>
          ))}
        </ul>
      )}
      {skills.length > 0 && (
        <p className="ma-quiet ma-wrap" dir="auto">
          {texts.contextSkills(skills.map(({ name }) => name))}
        </p>
      )}
      {!complete && <p className="ma-warning">{texts.contextIncomplete}</p>}
      {files.length < taken + omitted && <p className="ma-quiet">{texts.contextListed(files.length)}</p>}
      {files.length === 0 ? (
        <p className="ma-quiet">{texts.contextEmpty}</p>
      ) : (
        <div className="ma-versions" role="group" aria-label={texts.contextIntro}>
          <VList data={files} itemSize={28} tabIndex={0}>
            {({ path, bytes, tokens, omitted }) => (
              <div key={path} className="ma-context-file" data-omitted={omitted !== undefined || undefined}>
                <span className="ma-path" dir="ltr" title={oneLine(path)}>
                  <bdi>{oneLine(path)}</bdi>
                </span>
                <span className="ma-quiet ma-number" title={format.bytes(bytes)}>
                  {omitted === undefined ? texts.tokens(tokens) : texts.omitted[omitted]}
                </span>
              </div>
            )}
          </VList>
        </div>
      )}
    </>
  );
}
