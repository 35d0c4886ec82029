import type { ReactElement } from 'react';
import { pieces } from '../text/printable.ts';

/** Properties of `Printed`. */
export interface PrintedProps {
  text: string;
  /** Whether a script gave the text. Emoji of several characters then stay whole. */
  isOutput?: boolean;
}

/** A text in which nothing is invisible. Characters that do not print are shown as escapes, in another colour. */
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
