import type { RunWarning } from '@mustard-sandbox/protocol';

const sentences: Record<string, string> = {
  map: 'A Map was given as a list of its entries: [[key, value], …].',
  set: 'A Set was given as a list of its items.',
  bigint: 'A BigInt was given as text.',
  regex: 'A regular expression was given as text.',
  bytes: 'Bytes were given as a list of numbers.',
  error: 'An error was given as its name and its message.',
  iterator: 'An iterator was given as a list of what it yields.',
};

/** The conversions of a value that left, as warnings for the caller. @param notes as prelude/values.js names them */
export function notesOf(notes: readonly string[]): RunWarning[] {
  return notes.flatMap((note) => {
    const message = sentences[note];
    return message === undefined ? [] : [{ id: `${note}-as-json`, message }];
  });
}
