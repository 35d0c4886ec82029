import { Printed } from '@mustard-sandbox/cards';
import type { ReactElement } from 'react';
import type { FileDiff } from '../../shared/contract/index.ts';
import { LongText } from '../parts/long-text.tsx';
import { texts } from '../words/texts.ts';

type Hunk = FileDiff['hunks'][number];

/** Whether a hunk is chosen, and how to change that. */
export interface HunkChoice {
  /** The number of the hunk in the file, from 1. */
  number: number;
  count: number;
  isChosen: boolean;
  toggle: () => void;
}

const signs = { context: ' ', added: '+', removed: '−', note: '' } as const;

export function HunkView({ hunk, choice }: { hunk: Hunk; choice: HunkChoice | undefined }): ReactElement {
  let before = hunk.oldStart - 1;
  let after = hunk.newStart - 1;
  const head = <Printed text={`@@ −${hunk.oldStart} +${hunk.newStart} @@`} />;
  return (
    <div className="ma-hunk" data-left={choice?.isChosen === false || undefined}>
      {choice === undefined ? (
        <div className="ma-hunk-head" aria-hidden="true">
          {head}
        </div>
      ) : (
        <label className="ma-hunk-head">
          <input
            type="checkbox"
            checked={choice.isChosen}
            aria-label={texts.chooseHunk(choice.number, choice.count)}
            onChange={choice.toggle}
          />
          <span aria-hidden="true">{head}</span>
          {!choice.isChosen && <span>{texts.leftOutHunk}</span>}
        </label>
      )}
      {hunk.lines.map(({ kind, text }, index) => {
        const isBefore = kind === 'context' || kind === 'removed';
        const isAfter = kind === 'context' || kind === 'added';
        if (isBefore) before += 1;
        if (isAfter) after += 1;
        return (
          <div key={index} className="ma-diff-line" data-kind={kind}>
            <span className="ma-line-number" aria-hidden="true">
              {isBefore ? before : ''}
            </span>
            <span className="ma-line-number" aria-hidden="true">
              {isAfter ? after : ''}
            </span>
            <span className="ma-sign" aria-hidden="true">
              {signs[kind]}
            </span>
            <code>
              {isBefore !== isAfter && <span className="ms-visually-hidden">{isAfter ? '+ ' : '− '}</span>}
              <LongText text={text} />
            </code>
          </div>
        );
      })}
    </div>
  );
}
