import { Printed } from '@mustard-sandbox/cards';
import { useState, type ReactElement } from 'react';
import { texts } from '../words/texts.ts';

/** How many characters of a line are shown at first, because the layout of 100,000 characters takes a second. */
const shown = 2_000;

/** One line of any length, with invisible characters shown. */
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

/** Makes a box that may scroll focusable, so that the keyboard can scroll it. */
export function focusableWhenLong(text: string): { tabIndex?: 0 } {
  return text.length > 600 || text.split('\n', 16).length > 15 ? { tabIndex: 0 } : {};
}
