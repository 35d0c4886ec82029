export { contextFiles, describeContext, fileNames, instructionsOf } from './context.ts';
export { defaultLimits } from './limits.ts';
export { emptyOverlay, sourceOf, type Overlay } from './overlay.ts';
export { renderContext } from './render.ts';
export { marked } from './marked.ts';
export { renderRules } from './rules.ts';
export { renderSkills } from './skills.ts';
