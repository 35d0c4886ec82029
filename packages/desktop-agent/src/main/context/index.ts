export { ContextReader, type ContextFiles, type ContextOptions } from './context-reader.ts';
export { emptyOverlay, type Overlay } from './overlay.ts';
export { renderContext } from './render.ts';
