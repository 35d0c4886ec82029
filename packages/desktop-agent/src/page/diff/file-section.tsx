import { Icon, Printed } from '@mustard-sandbox/cards';
import { useState, type ReactElement } from 'react';
import type { FileDiff } from '../../shared/contract/index.ts';
import { Button } from '../parts/controls.tsx';
import { texts } from '../words/texts.ts';
import { hasParts, isEditable, type Choosing } from './choosing.ts';
import { Change, Counts, nameOf } from './file-facts.tsx';
import { HunkView } from './hunk-view.tsx';

interface FileProps {
  file: FileDiff;
  choosing: Choosing | undefined;
}

/** The lines of one file. The lines of a closed file are not in the DOM. */
export function FileSection({ file, choosing, isOpen }: FileProps & { isOpen: boolean }): ReactElement {
  const [isShown, setShown] = useState(isOpen);
  const name = nameOf(file);
  const editor = choosing?.editor(file);
  // A file with an open editor stays open, so that typed text is not hidden.
  const isOpenNow = isShown || editor !== undefined;
  return (
    <details className="ma-file" open={isOpenNow} onToggle={(event) => setShown(event.currentTarget.open)}>
      <summary className="ma-file-head">
        <Icon name="chevron" />
        <Change change={file.change} />
        <span className="ma-path" dir="ltr" title={name}>
          <bdi>{name}</bdi>
        </span>
        {choosing?.stateOf(file) === 'none' && <span className="ma-quiet">{texts.leftOutFile}</span>}
        {file.edited === true && <span className="ma-quiet">{texts.editedByYou}</span>}
        <Counts files={[file]} />
      </summary>
      {isOpenNow && (
        <>
          {file.runs !== undefined && (
            <p className="ma-warning ma-file-note ma-with-icon">
              <Icon name="warning" />
              {texts.diffRuns(file.runs)}
            </p>
          )}
          {file.inexact !== undefined && <Inexact sentences={file.inexact} />}
          {editor ?? <Body file={file} name={name} choosing={choosing} />}
          {editor === undefined && choosing?.edit !== undefined && isEditable(file) && (
            <div className="ma-actions ma-file-note">
              <Button className="ma-flat" onClick={() => choosing.edit?.(file)}>
                {texts.editProposed}
              </Button>
            </div>
          )}
        </>
      )}
    </details>
  );
}

/** Sentences on edits of the model that were not placed exactly as given. */
function Inexact({ sentences }: { sentences: readonly string[] }): ReactElement {
  return (
    <div className="ma-warning ma-file-note">
      <p className="ma-with-icon">
        <Icon name="warning" />
        {texts.diffInexact}
      </p>
      <ul className="ma-inexact">
        {sentences.map((sentence) => (
          <li key={sentence}>
            <Printed text={sentence} />
          </li>
        ))}
      </ul>
    </div>
  );
}

function Body({ file, name, choosing }: FileProps & { name: string }): ReactElement {
  const { hidden, unshown } = file;
  const isCut = hidden === 'large' && unshown !== undefined;
  if (hidden !== undefined && !isCut) return <p className="ma-quiet ma-file-note">{texts.diffHidden[hidden]}</p>;
  if (file.hunks.length === 0) return <p className="ma-quiet ma-file-note">{texts.diffEmpty}</p>;
  const parts = choosing !== undefined && hasParts(file) ? choosing : undefined;
  const hunks = (
    <div className="ma-hunks" dir="ltr" tabIndex={0} role="group" aria-label={texts.diffOf(name)}>
      {file.hunks.map((hunk, index) => (
        <HunkView
          key={`${hunk.oldStart}-${hunk.newStart}`}
          hunk={hunk}
          choice={
            parts && {
              number: index + 1,
              count: file.hunks.length,
              isChosen: parts.hasHunk(file, index),
              toggle: () => parts.toggleHunk(file, index),
            }
          }
        />
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
