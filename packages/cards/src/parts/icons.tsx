import type { ReactElement } from 'react';

const paths = {
  chevron: 'M6 4l4 4-4 4',
  more: 'M3.5 8h.01M8 8h.01M12.5 8h.01',
  check: 'M3.5 8.5l3 3 6-7',
  cross: 'M4.5 4.5l7 7M11.5 4.5l-7 7',
  warning: 'M8 2.5l6 11H2zM8 6.5v3M8 11.7h.01',
  clock: 'M8 2a6 6 0 100 12A6 6 0 008 2zM8 5v3l2 1.5',
  crash: 'M9 1.5L4 9h4l-1 5.5L12 7H8z',
  hand: 'M8 2a6 6 0 100 12A6 6 0 008 2zM4 12L12 4',
  question: 'M8 2a6 6 0 100 12A6 6 0 008 2zM6.2 6.4a1.8 1.8 0 112.9 1.4C8.4 8.3 8 8.6 8 9.4M8 11.4h.01',
  // The circle is open on one side, so that it does not look like an empty radio button, even without animation.
  running: 'M8 2a6 6 0 106 6',
  file: 'M4 1.5h5l3 3v10H4zM9 1.5v3h3',
  image: 'M2.5 3h11v10h-11zM2.5 11l3-3 3 3 2-2 3 3M10.5 6h.01',
  terminal: 'M2 4l3.5 4L2 12M7.5 12H13',
  folder: 'M1.5 4h5l1.5 2h6.5v7.5h-13z',
  copy: 'M5.5 5.5h7v8h-7zM3.5 10.5v-8h7',
  sort: 'M5.5 6.5L8 4l2.5 2.5M5.5 9.5L8 12l2.5-2.5',
  up: 'M4 10l4-4 4 4',
  down: 'M4 6l4 4 4-4',
  plus: 'M8 3.5v9M3.5 8h9',
  rail: 'M2 3h12v10H2zM6 3v10',
  panel: 'M2 3h12v10H2zM10 3v10',
  gear: 'M8 5.8a2.2 2.2 0 100 4.4 2.2 2.2 0 000-4.4zM8 1.8v1.9M8 12.3v1.9M1.8 8h1.9M12.3 8h1.9M3.6 3.6L5 5M11 11l1.4 1.4M12.4 3.6L11 5M5 11l-1.4 1.4',
  search: 'M7 2.5a4.5 4.5 0 100 9 4.5 4.5 0 000-9zM10.5 10.5l3 3',
  stop: 'M4.5 4.5h7v7h-7z',
  send: 'M8 13V3M4 7l4-4 4 4',
  clip: 'M12.5 7.5l-4.8 4.8a2.8 2.8 0 01-4-4L8.5 3.5a1.9 1.9 0 012.7 2.7L6.6 10.8',
  undo: 'M5.5 3L2.5 6l3 3M2.5 6h7a3.5 3.5 0 010 7H6',
  pencil: 'M3 13l.7-2.8L10.9 3l2.1 2.1-7.2 7.2z',
  trash: 'M3 4.5h10M6 4.5v-2h4v2M4.5 4.5l.6 9h5.8l.6-9',
  package: 'M2.5 5L8 2.2 13.5 5v6L8 13.8 2.5 11zM2.5 5L8 7.8 13.5 5M8 7.8v6',
  back: 'M13 8H3.5M7.5 4l-4 4 4 4',
  reload: 'M13 8a5 5 0 11-1.6-3.7M13 2.5v3h-3',
  target: 'M8 4.5a3.5 3.5 0 100 7 3.5 3.5 0 000-7zM8 1.5v3M8 11.5v3M1.5 8h3M11.5 8h3',
  outside: 'M6.5 3.5h-3v9h9v-3M9.5 2.5h4v4M13.5 2.5L7.5 8.5',
  spark: 'M8 2l1.5 4.5L14 8l-4.5 1.5L8 14l-1.5-4.5L2 8l4.5-1.5z',
} as const;

/** The name of a picture. */
export type IconName = keyof typeof paths;

/** Properties of `Icon`. */
export interface IconProps {
  name: IconName;
}

/**
 * A small line drawing in the colour of the text. It is hidden from screen readers, because a word always goes with it.
 */
export function Icon({ name }: IconProps): ReactElement {
  return (
    <svg className={`ms-icon ms-icon-${name}`} viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
      <path d={paths[name]} fill="none" stroke="currentColor" strokeLinecap="round" strokeLinejoin="round" />
    </svg>
  );
}
