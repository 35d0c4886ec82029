import { useLayoutEffect, useRef, useState, type KeyboardEvent, type ReactElement } from 'react';
import { useLanguage } from '../messages/provider.tsx';
import { Icon } from '../parts/icons.tsx';
import { oneLine } from '../text/printable.ts';
import { isAsked, standingOf, type ScriptCall } from './call.ts';

/** With more calls than this, only the last ones are shown at first. */
const most = 50;

/** The calls of a run in their order, side by side. One of them can be selected. */
export function CallStrip({
  calls,
  chosen,
  onChoose,
}: {
  calls: readonly ScriptCall[];
  chosen: number | undefined;
  onChoose: (id: number | undefined) => void;
}): ReactElement {
  const { t } = useLanguage();
  const [isWhole, setWhole] = useState(false);
  const strip = useRef<HTMLOListElement>(null);
  const last = calls.at(-1)?.id;
  // The newest call is at the end.
  useLayoutEffect(() => {
    const list = strip.current;
    if (list !== null)
      list.scrollLeft = getComputedStyle(list).direction === 'rtl' ? -list.scrollWidth : list.scrollWidth;
  }, [last]);
  const shown = isWhole ? calls : calls.slice(-most);
  const hidden = calls.length - shown.length;
  const first = shown.some(({ id }) => id === chosen) ? chosen : shown[0]?.id;
  return (
    <div className="ms-calls">
      {hidden > 0 && (
        <button type="button" className="ms-link ms-calls-earlier" onClick={() => setWhole(true)}>
          {t('callsEarlier', { count: hidden })}
        </button>
      )}
      <ol ref={strip} className="ms-call-strip" aria-label={t('calls', { count: calls.length })} onKeyDown={moveFocus}>
        {shown.map((call) => (
          <li key={call.id}>
            <CallChip
              call={call}
              isChosen={call.id === chosen}
              isStop={call.id === first}
              onChoose={() => onChoose(call.id === chosen ? undefined : call.id)}
            />
          </li>
        ))}
      </ol>
    </div>
  );
}

function CallChip({
  call,
  isChosen,
  isStop,
  onChoose,
}: {
  call: ScriptCall;
  isChosen: boolean;
  /** Whether Tab stops here. The arrow keys lead to the others. */
  isStop: boolean;
  onChoose: () => void;
}): ReactElement {
  const { t, format } = useLanguage();
  const { icon, word } = standingOf(call);
  const time = call.durationMs === undefined ? undefined : format.duration(call.durationMs);
  return (
    <button
      type="button"
      className="ms-call"
      data-state={isAsked(call) ? 'asked' : word}
      aria-expanded={isChosen}
      tabIndex={isStop ? 0 : -1}
      onClick={onChoose}
    >
      <Icon name={icon} />
      <span className="ms-call-tool" dir="ltr">
        {oneLine(call.tool)}
      </span>
      {/* An icon shows the rest to people who can see it. */}
      <span className={time === undefined ? 'ms-call-stat' : 'ms-visually-hidden'}>{t(word)}</span>
      {time !== undefined && <span className="ms-call-stat">{time}</span>}
    </button>
  );
}

function moveFocus(event: KeyboardEvent<HTMLOListElement>): void {
  const { key, currentTarget } = event;
  const all = [...currentTarget.querySelectorAll('button')];
  const at = all.indexOf(event.target as HTMLButtonElement);
  const forward = getComputedStyle(currentTarget).direction === 'rtl' ? 'ArrowLeft' : 'ArrowRight';
  const to =
    { Home: 0, End: all.length - 1 }[key] ?? (/^Arrow(?:Left|Right)$/.test(key) ? at + (key === forward ? 1 : -1) : at);
  if (to === at || all[to] === undefined) return;
  event.preventDefault();
  all[to].focus();
}
