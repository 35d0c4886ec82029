export { contextFiles, describeContext, fileNames } from './context.ts';
export { defaultLimits } from './limits.ts';
export { emptyOverlay, sourceOf, type Overlay } from './overlay.ts';
export { renderContext } from './render.ts';
export { rulesOf } from './rules.ts';
