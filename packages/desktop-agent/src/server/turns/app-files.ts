// What a prompt has of the app: its rules for models, and its files.
import { contextFiles, emptyOverlay, renderContext, rulesOf, type Overlay } from '../context/index.ts';
import type { Turn } from './turn.ts';

/** The app's own rules for models; empty without any. */
export function rulesFor(appPath: string): string {
  return rulesOf(appPath)?.text ?? '';
}

/** The app's files, as they would be with what is proposed. */
export async function filesFor({ app, signal }: Turn, overlay: Overlay = emptyOverlay): Promise<string> {
  return renderContext(await contextFiles(app.path, app.context, { overlay, signal }));
}
