// What main uses. The page imports `tags.ts`, which needs nothing of Node.
export * from './apply.ts';
export { maxChanges } from './draft.ts';
export * from './edit.ts';
export * from './plan.ts';
export * from './proposal.ts';
export * from './recover.ts';
export * from './tags.ts';
