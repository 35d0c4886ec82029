// What the other rooms of the server use.
export * from './apply.ts';
export * from './choose.ts';
export { maxChanges } from './draft.ts';
export { changeOfTexts, changesOfEdit } from './edits/index.ts';
export * from './edit.ts';
export * from './edit-proposed.ts';
export * from './file-change.ts';
export * from './listed-packages.ts';
export * from './plan.ts';
export * from './proposal.ts';
export * from './recover.ts';
