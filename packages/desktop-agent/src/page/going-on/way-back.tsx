import { oneLine } from '@mustard-sandbox/cards';
import { useId, type ReactElement } from 'react';
import type { WayBack } from '../../shared/contract/index.ts';
import { Time } from '../parts/time.tsx';
import { texts } from '../words/texts.ts';

const signs = { added: '+', changed: '~', deleted: '−' } as const;

/** Whether the files go back as well, with all that this would do to them. */
export function WayBackChoice({
  wayBack,
  why,
  goesBack,
  onChoose,
}: {
  wayBack: WayBack | null;
  /** Why they cannot. */
  why: string;
  goesBack: boolean;
  onChoose: (goesBack: boolean) => void;
}): ReactElement {
  const name = useId();
  const option = (value: boolean, label: string): ReactElement => (
    <label className="ma-check-row">
      <input type="radio" name={name} checked={goesBack === value} onChange={() => onChoose(value)} />
      <span>{label}</span>
    </label>
  );
  if (wayBack === null) return <p className="ma-quiet ma-wrap">{texts.filesStay(why)}</p>;
  const { commit, subject, at, isOfBranch, changed, more, own } = wayBack;
  return (
    <fieldset className="ma-going-on-files">
      <legend className="ms-visually-hidden">{texts.goOnFilesChoice}</legend>
      {option(false, texts.filesKeep)}
      {option(true, texts.filesBack(changed.length + more))}
      <div className="ma-way-back" data-off={!goesBack || undefined}>
        <p className="ma-wrap" dir="auto">
          <code>{commit.slice(0, 7)}</code> {oneLine(subject)} <Time at={at} />
        </p>
        {!isOfBranch && <p className="ma-warning ma-wrap">{texts.filesOtherBranch}</p>}
        <ul className="ma-way-back-files">
          {changed.map(({ path, change }) => (
            <li key={path}>
              <span className="ma-quiet" aria-hidden="true">
                {signs[change]}
              </span>
              <span className="ms-visually-hidden">{texts.filesChange[change]} </span>
              <code className="ma-wrap">{oneLine(path)}</code>
            </li>
          ))}
          {more > 0 && <li className="ma-quiet">{texts.filesMore(more)}</li>}
        </ul>
        <p className="ma-quiet ma-wrap">
          {own > 0 && `${texts.filesOwn(own)} `}
          {texts.filesHow}
        </p>
      </div>
    </fieldset>
  );
}
