import { FolderFiles } from '@mustard-sandbox/paths';

const rulesFile = 'AI_RULES.md';
/** Longer rules would push the files out of the prompt. */
const maxRulesBytes = 64 * 1024;

/** The app's own rules for models, which each prompt has. `cut`: there is more than is taken. */
export interface Rules {
  text: string;
  cut: boolean;
}

/** `undefined` without any. */
export function rulesOf(appPath: string): Rules | undefined {
  try {
    const { bytes, size } = new FolderFiles(appPath).read(rulesFile, maxRulesBytes, rulesFile);
    return size === 0 ? undefined : { text: bytes.toString('utf8'), cut: size > bytes.length };
  } catch {
    // Not there, or a link, which is not followed.
    return undefined;
  }
}
