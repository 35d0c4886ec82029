import type { ReactElement } from 'react';

/** The mark of the product: a seedling with two leaves. The stylesheet has its colours. */
export function Mark(): ReactElement {
  return (
    <svg className="ma-mark" viewBox="0 0 20 20" aria-hidden="true">
      <rect className="ma-ground" width="20" height="20" rx="5" />
      <path
        className="ma-line"
        d="M10 16V9.5M10 9.5C10 6.7 7.9 5 4.6 5 4.6 7.9 6.7 9.5 10 9.5ZM10 12c0-2.5 1.9-4 5.2-4 0 2.6-2.1 4-5.2 4Z"
        strokeWidth="1.5"
        strokeLinejoin="round"
        strokeLinecap="round"
      />
    </svg>
  );
}

/** The positions and sizes of the flowers. */
const flowers = [
  { x: 88, y: 26, size: 1 },
  { x: 60, y: 44, size: 0.75 },
  { x: 117, y: 40, size: 0.8 },
] as const;

/** A mustard plant that grows out of a folder. */
export function Plant(): ReactElement {
  return (
    <svg className="ma-picture" viewBox="0 0 176 132" aria-hidden="true">
      <path
        className="ma-folder-back"
        d="M32 70a8 8 0 0 1 8-8h30l9 9h57a8 8 0 0 1 8 8v37a8 8 0 0 1-8 8H40a8 8 0 0 1-8-8Z"
      />
      <g className="ma-stem" strokeWidth="3" strokeLinecap="round">
        <path d="M88 112V34" />
        <path d="M88 74C88 60 72 62 61 50" />
        <path d="M88 66c0-12 18-8 28-20" />
      </g>
      <path
        className="ma-leaf"
        d="M88 90c-3-13-13-17-27-15 3 12 12 17 27 15ZM88 82c4-12 14-15 26-12-3 11-12 15-26 12Z"
      />
      {flowers.map(({ x, y, size }) => (
        <g key={x} transform={`translate(${x} ${y}) scale(${size})`}>
          <circle className="ma-petal" cx="0" cy="-8" r="7" />
          <circle className="ma-petal" cx="8" cy="0" r="7" />
          <circle className="ma-petal" cx="0" cy="8" r="7" />
          <circle className="ma-petal" cx="-8" cy="0" r="7" />
          <circle className="ma-heart" r="3.5" />
        </g>
      ))}
      <path
        className="ma-folder-front"
        d="M24 92a6 6 0 0 1 6-7h116a6 6 0 0 1 6 7l-5 25a8 8 0 0 1-8 7H37a8 8 0 0 1-8-7Z"
      />
    </svg>
  );
}
