import type { ReactElement } from 'react';
import { pieces } from '../text/printable.ts';

/** Properties of `Printed`. */
export interface PrintedProps {
  text: string;
  /** Whether a script gave the text: then emoji of several characters stay whole. */
  isOutput?: boolean;
}

/** A text in which nothing is invisible: what does not print is shown as an escape, in another colour. */
export function Printed({ text, isOutput }: PrintedProps): ReactElement {
  return (
    <>
      {pieces(text, isOutput).map((piece, index) =>
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
