import type { ReactElement } from 'react';
import type { ConsentFileAccess, ConsentRequest } from '@mustard-sandbox/agent-tool';
import type { Translate } from '../messages/translate.ts';
import { useLanguage } from '../messages/provider.tsx';
import { Code } from '../parts/code.tsx';
import { Printed } from '../parts/printed.tsx';
import { findHidden, oneLine } from '../text/printable.ts';

/** The heading of a question, which names what the question is about. */
export function titleOf({ hostFunction, command, file }: ConsentRequest, t: Translate): string {
  if (command !== undefined) return t('consentCommandTitle');
  if (file !== undefined) return t(file.action === 'read' ? 'consentReadTitle' : 'consentWriteTitle');
  return hostFunction === undefined
    ? t('consentTitle')
    : t('consentHostFunctionTitle', { name: oneLine(hostFunction) });
}

/** What an "Allow always" covers. */
export function alwaysNoteOf({ hostFunction, command, file }: ConsentRequest, t: Translate): string {
  if (command !== undefined) return t('allowAlwaysCommandNote');
  if (file?.why !== undefined) return t('allowAlwaysContentNote');
  if (file !== undefined) return t(file.action === 'read' ? 'allowAlwaysReadNote' : 'allowAlwaysWriteNote');
  return hostFunction === undefined
    ? t('allowAlwaysNote')
    : t('allowAlwaysFunctionNote', { name: oneLine(hostFunction) });
}

/** Whether the question is about a script itself, and not about something that it calls. */
export function isAboutScript({ hostFunction, command, file }: ConsentRequest): boolean {
  return hostFunction === undefined && command === undefined && file === undefined;
}

/** Everything that would be done. */
export function Asked({ request }: { request: ConsentRequest }): ReactElement {
  const { hostFunction, command, file, script } = request;
  if (command !== undefined) return <Whole text={command} label="consentWholeCommand" isScript={false} />;
  if (file !== undefined) return <FileAccess file={file} />;
  return (
    <>
      {hostFunction === undefined ? <Reach request={request} /> : <Arguments args={request.args ?? []} />}
      <Whole text={script} label="consentWholeScript" isScript />
    </>
  );
}

function FileAccess({ file: { path, content, why } }: { file: ConsentFileAccess }): ReactElement {
  const { t } = useLanguage();
  return (
    <>
      <div className="ms-dialog-section">
        {why !== undefined && <p>{t('consentWhy', { why: oneLine(why) })}</p>}
        <pre className="ms-pre" dir="ltr" tabIndex={0} role="group" aria-label={t('consentPath')}>
          <Printed text={oneLine(path)} />
        </pre>
      </div>
      {content !== undefined && <Whole text={content} label="consentWholeFile" isScript={false} />}
    </>
  );
}

function Reach({ request: { files, root } }: { request: ConsentRequest }): ReactElement {
  const { t, format } = useLanguage();
  if (files.length === 0 && root === undefined) return <p>{t('consentNoFiles')}</p>;
  return (
    <div className="ms-dialog-section">
      <p>{t('consentReads')}</p>
      <ul className="ms-file-list" tabIndex={0} aria-label={t('consentReads')}>
        {root !== undefined && <li className="ms-wrap">{t('consentFolder', { folder: oneLine(root) })}</li>}
        {files.map(({ name, size }) => (
          <li key={name}>
            <span className="ms-wrap">{t('consentAttachment', { name: oneLine(name) })}</span>
            <span className="ms-note">{format.bytes(size)}</span>
          </li>
        ))}
      </ul>
    </div>
  );
}

function Arguments({ args }: { args: readonly unknown[] }): ReactElement {
  const { t } = useLanguage();
  const text = args.map((arg) => JSON.stringify(arg, undefined, 2) ?? 'undefined').join(',\n');
  return (
    <div className="ms-dialog-section">
      <p>{t('consentHostFunctionNote')}</p>
      <p>{t('consentArguments')}</p>
      <pre className="ms-pre" dir="ltr" tabIndex={0} role="group" aria-label={t('consentArguments')}>
        <Printed text={text} />
      </pre>
    </div>
  );
}

function Whole({
  text,
  label: key,
  isScript,
}: {
  text: string;
  label: 'consentWholeScript' | 'consentWholeCommand' | 'consentWholeFile';
  isScript: boolean;
}): ReactElement {
  const { t } = useLanguage();
  const label = t(key, { count: text.split('\n').length });
  const hidden = findHidden(text.replaceAll('\r\n', '\n'));
  return (
    <div className="ms-dialog-section">
      <p>{label}</p>
      {/* Long lines wrap, because code beyond the edge would run without being seen. */}
      <Code script={text} label={label} wrap plain={!isScript} />
      {hidden !== undefined && <p className="ms-problem">{t('consentHidden', hidden)}</p>}
    </div>
  );
}
