import { FolderFiles } from '@mustard-sandbox/paths';
import { readText } from './rules.ts';

/** The paths of skills. `.claude` is not among them, because it has settings and secrets, and is denied. */
const place = /^(?:\.agents\/)?skills\/([a-z0-9][a-z0-9-]{0,63})\/SKILL\.md$/;
const maxSkills = 50;
const maxBytes = 64 * 1024;
const maxDescription = 300;

/** Instructions for one kind of work, in a folder of the app with this name. */
export interface Skill {
  name: string;
  /** The description in one line. */
  description: string;
  /** The path of its `SKILL.md`. */
  path: string;
}

/** The skills that come with an app. @param paths files of the app that git does not ignore */
export function skillsOf(appPath: string, paths: readonly string[]): Skill[] {
  const files = new FolderFiles(appPath, { refuseSecrets: true, refuseLinks: true });
  const skills = new Map<string, Skill>();
  for (const path of paths) {
    const name = place.exec(path)?.[1];
    if (name === undefined || skills.has(name) || skills.size === maxSkills) continue;
    const text = readText(files, path, maxBytes)?.text;
    if (text !== undefined) skills.set(name, { name, description: descriptionIn(text), path });
  }
  return [...skills.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** The description in the front matter, which is between lines of `---`. */
function descriptionIn(text: string): string {
  const head = /^---\r?\n([^]*?)\r?\n---/.exec(text.slice(0, 4096))?.[1] ?? '';
  const said = /^description:[ \t]*(.*)$/m.exec(head)?.[1] ?? '';
  const line = said.replaceAll(/[\p{Cc}\p{Cf}\s]+/gu, ' ').replaceAll(/^["' ]+|["' ]+$/g, '');
  return [...line].slice(0, maxDescription).join('');
}

/** The skills as a part of a prompt for a model that can read files; empty when there are none. */
export function renderSkills(skills: readonly Skill[]): string {
  if (skills.length === 0) return '';
  const lines = skills.map(({ name, description, path }) => `- ${name} (${path}): ${description}`);
  return `# Skills of this app\n\nThey come with its files, like its rules. Read the file of a skill before you do such work.\n\n${lines.join('\n')}`;
}
