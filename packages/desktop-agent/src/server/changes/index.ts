// What the other rooms of the server use.
export * from './apply.ts';
export { maxChanges } from './draft.ts';
export * from './edit.ts';
export * from './plan.ts';
export * from './proposal.ts';
export * from './recover.ts';
