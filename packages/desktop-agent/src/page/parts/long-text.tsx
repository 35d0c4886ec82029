import { Printed } from '@mustard-sandbox/cards';
import { useState, type ReactElement } from 'react';
import { texts } from '../words/texts.ts';

/** How much of a line is shown before a person asks for the rest: the layout of 100,000 characters takes a second. */
const shown = 2_000;

/** One line of any length in which nothing is invisible. */
export function LongText({ text }: { text: string }): ReactElement {
  const [isWhole, setWhole] = useState(false);
  if (isWhole || text.length <= shown) return <Printed text={text} />;
  return (
    <>
      <Printed text={text.slice(0, shown)} />
      <button type="button" className="ms-link" onClick={() => setWhole(true)}>
        {texts.moreCharacters(text.length - shown)}
      </button>
    </>
  );
}

/** For a text in a box that has a greatest height: what may scroll can be focused, so that the keyboard scrolls it. */
export function focusableWhenLong(text: string): { tabIndex?: 0 } {
  return text.length > 600 || text.split('\n', 16).length > 15 ? { tabIndex: 0 } : {};
}
