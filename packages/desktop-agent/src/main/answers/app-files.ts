// What a prompt has of the app: its rules for models, and its files.
import { FolderFiles } from '@mustard-sandbox/client/files';
import { emptyOverlay, renderContext, type Overlay } from '../context/index.ts';
import type { Turn } from './turn.ts';

const rulesFile = 'AI_RULES.md';
/** Longer rules would push the files out of the prompt. */
const maxRulesBytes = 64 * 1024;

/** The app's own rules for models; empty without any. */
export function rulesOf(appPath: string): string {
  try {
    return new FolderFiles(appPath).read(rulesFile, maxRulesBytes, 'AI_RULES.md').bytes.toString('utf8');
  } catch {
    // Not there, or a link, which is not followed.
    return '';
  }
}

/** The app's files, as they would be with what is proposed. */
export async function filesFor({ services, app, signal }: Turn, overlay: Overlay = emptyOverlay): Promise<string> {
  return renderContext(await services.context.files(app.path, app.context, { overlay, signal }));
}
