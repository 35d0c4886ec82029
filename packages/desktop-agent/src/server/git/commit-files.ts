// The part of a commit that runs in a worker thread. It compares the files of the app, and writes objects that nothing names.
import git from 'isomorphic-git';
import { authorOf } from './author.ts';
import { readCommit } from './commits.ts';
import { headOf, openRepository, type Head, type Repository } from './repository.ts';
import { statusOf, type Status } from './status.ts';
import { editTree, emptyTree, type TreeFile } from './trees.ts';

export type Files = ReadonlyMap<string, TreeFile | null>;

export interface CommitOptions {
  message: string;
  /** Whether to make a commit even if nothing would change. */
  evenIfSame?: boolean;
}

export async function commitFiles(
  appPath: string,
  head: Head,
  files: Files,
  options: CommitOptions,
): Promise<string | null> {
  return commitOf(await openRepository(appPath), head, files, options);
}

async function commitOf(
  repository: Repository,
  head: Head,
  files: Files,
  { message, evenIfSame = false }: CommitOptions,
): Promise<string | null> {
  // The tree of the whole repository, in which only files of the app change.
  const before = head.commit === null ? null : (await readCommit(repository, head.commit)).tree;
  const placed = new Map([...files].map(([path, file]) => [repository.prefix + path, file]));
  const after = (await editTree(repository, before, placed)) ?? emptyTree;
  if (after === (before ?? emptyTree) && !evenIfSame) return null;
  if (after === emptyTree) await git.writeTree({ ...repository.base, tree: [] });
  const author = await authorOf(repository);
  const now = Math.floor(Date.now() / 1000);
  const person = { ...author, timestamp: now, timezoneOffset: new Date().getTimezoneOffset() };
  const parent = head.commit === null ? [] : [head.commit];
  // git stores a message with `\n` as line ends, and with one at the end.
  const text = `${message.replaceAll(/\r\n?/g, '\n').trim()}\n`;
  const commit = { tree: after, parent, author: person, committer: person, message: text };
  return git.writeCommit({ ...repository.base, commit });
}

/** The person's own changes, in a commit that nothing names yet. The change that follows names it when it succeeds. */
export interface OwnChanges {
  head: Head;
  /** What HEAD would name with this commit. */
  tip: Head;
  /** `null` when there is nothing. */
  commit: string | null;
  files: Files;
  /** Notes for a person on what was left alone and why. */
  notes: string[];
}

export interface WhichChanges {
  /** The files whose changes to commit. */
  only?: ReadonlySet<string>;
  message?: string;
}

export async function findOwnChanges(appPath: string, { only, message }: WhichChanges = {}): Promise<OwnChanges> {
  const repository = await openRepository(appPath);
  const head = await headOf(repository);
  const status = await statusOf(repository, { write: true, only });
  const { changed: files } = status;
  const text = message ?? `Changes made by hand - ${files.size} file(s)`;
  const commit = files.size === 0 ? null : await commitOf(repository, head, files, { message: text });
  return { head, tip: { ref: head.ref, commit: commit ?? head.commit }, commit, files, notes: notesOf(status) };
}

function notesOf({ leftAlone, droppedPatterns }: Status): string[] {
  return [
    ...leftAlone.map(({ path, why }) => `${path} was not committed: ${why}.`),
    ...droppedPatterns.map(
      (line) => `The line ${JSON.stringify(line.slice(0, 100))} of a .gitignore is not followed: it has too many "**".`,
    ),
  ];
}
