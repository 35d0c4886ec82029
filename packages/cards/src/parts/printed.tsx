import type { ReactElement } from 'react';
import { pieces } from '../text/printable.ts';

/** Properties of `Printed`. */
export interface PrintedProps {
  text: string;
}

/** A text in which nothing is invisible: what does not print is shown as an escape, in another colour. */
export function Printed({ text }: PrintedProps): ReactElement {
  return (
    <>
      {pieces(text).map((piece, index) =>
        piece.isHidden ? (
          <span key={index} className="ms-hidden">
            {piece.text}
          </span>
        ) : (
          piece.text
        ),
      )}
    </>
  );
}
