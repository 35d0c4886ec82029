// Edits of a file that name only what changes: search-and-replace blocks, and unified diffs.
export { applyEdit } from './apply-edit.ts';
export { changeOfTexts, changesOfEdit } from './changes-of-edit.ts';
export { EditRefused, linesBefore } from './edit-hunk.ts';
