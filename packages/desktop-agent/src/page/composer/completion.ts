// The completions at the caret: names after @, and commands after / at the beginning of a message.
import { oneLine } from '@mustard-sandbox/cards';
import type { Skill, Version } from '../../shared/contract/index.ts';
import { mentionOf } from '../../shared/mentions.ts';
import { texts } from '../words/texts.ts';
import type { SlashCommand } from './slash-commands.ts';

/** The word that is being typed, from its @ or / on. */
export interface Token {
  sign: '@' | '/';
  start: number;
  /** The text after the sign, up to the caret. */
  query: string;
}

export interface Completion {
  id: string;
  label: string;
  detail: string;
  /** The text that replaces the word. A space at its end ends the word. */
  insert: string;
  /** Runs instead of inserting something. */
  run?: () => void;
}

const maxShown = 50;

/** The word at the caret that can be completed. */
export function tokenAt(text: string, caret: number): Token | undefined {
  const before = text.slice(0, caret);
  const slash = /^\/([\w-]{0,64})$/.exec(before);
  if (slash !== null) return { sign: '/', start: 0, query: slash[1] as string };
  const at = /(?:^|[\s(])@(?:"([^"\n]{0,200})|([^\s"@]{0,200}))$/.exec(before);
  if (at === null) return undefined;
  const query = at[1] ?? at[2] ?? '';
  return { sign: '@', start: before.lastIndexOf('@'), query };
}

/** The completions of a name: files and folders of the app, its problems, and versions. */
export function mentionsFor(query: string, files: readonly string[], versions: readonly Version[]): Completion[] {
  const wanted = query.toLowerCase();
  if (wanted.startsWith('version:')) return versionsFor(wanted.slice('version:'.length), versions);
  const kinds = [
    { id: 'problems', label: '@problems', detail: texts.mentionProblems, insert: '@problems ' },
    { id: 'version', label: '@version:', detail: texts.mentionVersion, insert: '@version:' },
  ].filter(({ label }) => label.startsWith(`@${wanted}`));
  const paths = [...foldersOf(files), ...files].filter((path) => path.toLowerCase().includes(wanted));
  const rank = (path: string): number => {
    const name = path.replace(/\/$/, '').split('/').at(-1) ?? '';
    if (name.toLowerCase().startsWith(wanted)) return path.endsWith('/') ? 1 : 0;
    return 2;
  };
  const found = paths.map((path) => ({ path, rank: rank(path) })).sort((a, b) => a.rank - b.rank);
  const named = found.slice(0, maxShown).map(({ path }) => ({
    id: `path-${path}`,
    label: oneLine(path),
    detail: path.endsWith('/') ? texts.mentionFolder : texts.mentionFile,
    insert: `${mentionOf(path)} `,
  }));
  return [...kinds, ...named];
}

function versionsFor(wanted: string, versions: readonly Version[]): Completion[] {
  return versions
    .filter(({ commit, message }) => commit.startsWith(wanted) || message.toLowerCase().includes(wanted))
    .slice(0, maxShown)
    .map(({ commit, message }) => ({
      id: commit,
      label: commit.slice(0, 7),
      detail: oneLine(message.split('\n', 1)[0] ?? ''),
      insert: `@version:${commit.slice(0, 10)} `,
    }));
}

function foldersOf(files: readonly string[]): string[] {
  const folders = new Set<string>();
  for (const path of files) {
    for (let at = path.indexOf('/'); at !== -1; at = path.indexOf('/', at + 1)) folders.add(path.slice(0, at + 1));
  }
  return [...folders].sort();
}

/** The commands and the app's skills that begin with the query. */
export function commandsFor(query: string, commands: readonly SlashCommand[], skills: readonly Skill[]): Completion[] {
  const wanted = query.toLowerCase();
  const all: Completion[] = [
    ...commands.map(({ name, detail, run }) => ({ id: `command-${name}`, label: `/${name}`, detail, insert: '', run })),
    ...skills.map(({ name, description }) => ({
      id: `skill-${name}`,
      label: `/${name}`,
      detail: texts.skillOf(oneLine(description)),
      insert: `/${name} `,
    })),
  ];
  return all.filter(({ label }) => label.startsWith(`/${wanted}`)).slice(0, maxShown);
}
