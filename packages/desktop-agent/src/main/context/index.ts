export { ContextReader, type ContextOptions } from './context-reader.ts';
export { defaultLimits, type ContextLimits } from './limits.ts';
export type { ContextFiles } from './messages.ts';
export { emptyOverlay, sourceOf, type Overlay } from './overlay.ts';
export { renderContext } from './render.ts';
