// What a prompt has of the app: its rules for models, and its files.
import {
  contextFiles,
  emptyOverlay,
  instructionsOf,
  renderContext,
  renderRules,
  renderSkills,
  type Overlay,
} from '../context/index.ts';
import type { Turn } from './turn.ts';

/** The app's own rules for models; empty without any. @param options.skills whether the model can read skills, too */
export async function rulesFor({ app, signal }: Turn, { skills = false } = {}): Promise<string> {
  const has = await instructionsOf(app.path, signal);
  return [renderRules(has.rules), skills ? renderSkills(has.skills) : ''].filter(Boolean).join('\n\n');
}

/** The app's files, as they would be with what is proposed. */
export async function filesFor({ app, signal }: Turn, overlay: Overlay = emptyOverlay): Promise<string> {
  return renderContext(await contextFiles(app.path, app.context, { overlay, signal }));
}
