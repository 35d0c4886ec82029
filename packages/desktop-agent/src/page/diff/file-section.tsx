import { Icon, Printed } from '@mustard-sandbox/cards';
import { useState, type ReactElement } from 'react';
import type { FileDiff } from '../../shared/contract/index.ts';
import { LongText } from '../parts/long-text.tsx';
import { texts } from '../words/texts.ts';
import { Change, Counts, nameOf } from './file-facts.tsx';

type Hunk = FileDiff['hunks'][number];

/** The lines of one file. What is closed is not in the page. */
export function FileSection({ file, isOpen }: { file: FileDiff; isOpen: boolean }): ReactElement {
  const [isShown, setShown] = useState(isOpen);
  const name = nameOf(file);
  return (
    <details className="ma-file" open={isShown} onToggle={(event) => setShown(event.currentTarget.open)}>
      <summary className="ma-file-head">
        <Icon name="chevron" />
        <Change change={file.change} />
        <span className="ma-path" dir="ltr" title={name}>
          <bdi>{name}</bdi>
        </span>
        <Counts files={[file]} />
      </summary>
      {isShown && (
        <>
          {file.runs !== undefined && (
            <p className="ma-warning ma-file-note ma-with-icon">
              <Icon name="warning" />
              {texts.diffRuns(file.runs)}
            </p>
          )}
          <Body file={file} name={name} />
        </>
      )}
    </details>
  );
}

function Body({ file, name }: { file: FileDiff; name: string }): ReactElement {
  const { hidden, unshown } = file;
  const isCut = hidden === 'large' && unshown !== undefined;
  if (hidden !== undefined && !isCut) return <p className="ma-quiet ma-file-note">{texts.diffHidden[hidden]}</p>;
  if (file.hunks.length === 0) return <p className="ma-quiet ma-file-note">{texts.diffEmpty}</p>;
  const hunks = (
    <div className="ma-hunks" dir="ltr" tabIndex={0} role="group" aria-label={texts.diffOf(name)}>
      {file.hunks.map((hunk) => (
        <HunkView key={`${hunk.oldStart}-${hunk.newStart}`} hunk={hunk} />
      ))}
    </div>
  );
  if (!isCut || unshown === 0) return hunks;
  return (
    <>
      <p className="ma-warning ma-file-note">{texts.diffUnshown(unshown)}</p>
      {hunks}
    </>
  );
}

const signs = { context: ' ', added: '+', removed: '−' } as const;

function HunkView({ hunk }: { hunk: Hunk }): ReactElement {
  let before = hunk.oldStart - 1;
  let after = hunk.newStart - 1;
  return (
    <div className="ma-hunk">
      <div className="ma-hunk-head" aria-hidden="true">
        <Printed text={`@@ −${hunk.oldStart} +${hunk.newStart} @@`} />
      </div>
      {hunk.lines.map(({ kind, text }, index) => {
        if (kind !== 'added') before += 1;
        if (kind !== 'removed') after += 1;
        return (
          <div key={index} className="ma-diff-line" data-kind={kind}>
            <span className="ma-line-number" aria-hidden="true">
              {kind === 'added' ? '' : before}
            </span>
            <span className="ma-line-number" aria-hidden="true">
              {kind === 'removed' ? '' : after}
            </span>
            <span className="ma-sign" aria-hidden="true">
              {signs[kind]}
            </span>
            <code>
              {kind !== 'context' && <span className="ms-visually-hidden">{kind === 'added' ? '+ ' : '− '}</span>}
              <LongText text={text} />
            </code>
          </div>
        );
      })}
    </div>
  );
}
