import type { ReactElement } from 'react';
import { useLanguage } from '../messages/provider.tsx';
import { Code } from '../parts/code.tsx';
import { Printed } from '../parts/printed.tsx';
import { findHidden, oneLine } from '../text/printable.ts';
import { argumentsOf, standingOf, type CallActions, type ScriptCall } from './call.ts';
import { ForkForm } from './fork-form.tsx';

const linesAround = 3;

/** What is sent with a call, and the code that makes it. Nothing is left out, and every character is visible. */
export function CallContent({ call, script }: { call: ScriptCall; script: string | undefined }): ReactElement {
  const { t } = useLanguage();
  const { line } = call;
  const text = argumentsOf(call);
  const hidden = findHidden(text);
  return (
    <>
      <div className="ms-call-part">
        <p>{t('consentArguments')}</p>
        <pre className="ms-pre" dir="ltr" tabIndex={0} role="group" aria-label={t('consentArguments')}>
          <Printed text={text} />
        </pre>
        {hidden !== undefined && <p className="ms-problem">{t('consentHidden', hidden)}</p>}
      </div>
      {script !== undefined && line !== undefined && (
        <div className="ms-call-part">
          <p>{t('callLine', { line: String(line) })}</p>
          <Code
            script={script}
            label={t('callLine', { line: String(line) })}
            lines={[line - linesAround, line + linesAround]}
            marked={[line, line]}
            wrap
          />
        </div>
      )}
    </>
  );
}

/** How a call ended, and its answer. A fork can change the answer. */
export function CallDetails({
  call,
  script,
  onFork,
}: { call: ScriptCall; script: string | undefined } & Pick<CallActions, 'onFork'>): ReactElement {
  const { t, format } = useLanguage();
  const { id, tool, state, durationMs, answerBytes, ruling, by } = call;
  const facts = [
    t(standingOf(call).word),
    ...(durationMs === undefined ? [] : [format.duration(durationMs)]),
    ...(answerBytes === undefined ? [] : [t('callGave', { size: format.bytes(answerBytes) })]),
    ...(by === undefined || ruling === undefined
      ? []
      : [t(ruling === 'approved' ? 'callApprovedBy' : 'callDecidedBy', { by: oneLine(by) })]),
  ];
  return (
    <div className="ms-call-details" role="group" aria-label={t('callTitle', { id: String(id), tool: oneLine(tool) })}>
      <p className="ms-message-title">{t('callTitle', { id: String(id), tool: oneLine(tool) })}</p>
      <p className="ms-note">{facts.join(' · ')}</p>
      <CallContent call={call} script={script} />
      {state === 'answered' && onFork !== undefined && <ForkForm key={id} call={call} onFork={onFork} />}
    </div>
  );
}
