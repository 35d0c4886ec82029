// Reads the files of git's trees, and writes changed trees.
import git from 'isomorphic-git';
import { AgentError } from '../../shared/contract/index.ts';
import { readCommit } from './commits.ts';
import { parseTree, type TreeEntry } from './objects/tree.ts';
import type { Repository } from './repository.ts';

/** An object at a path. Modes as git has them: 0o100644, 0o100755, 0o120000 a link, 0o160000 another repository. */
export interface TreeFile {
  oid: string;
  mode: number;
}

export type TreeFiles = Map<string, TreeFile>;

const maxDepth = 200;
/** The empty tree. Every git knows it, but most repositories do not store it. */
export const emptyTree = '4b825dc642cb6eb9a060e54bf8d69288fbee4904';

/** All files of a tree by their paths; none for `null`. */
export async function filesOf(repository: Repository, tree: string | null): Promise<TreeFiles> {
  const files: TreeFiles = new Map();
  if (tree !== null) await collect(repository, tree, '', 0, files);
  return files;
}

async function collect(
  repository: Repository,
  oid: string,
  prefix: string,
  depth: number,
  files: TreeFiles,
): Promise<void> {
  if (depth > maxDepth)
    throw new AgentError('limit_exceeded', `Folders of this version are nested over ${maxDepth} deep.`);
  const entries = await entriesOf(repository, oid);
  // Cached trees count too, because a few trees can name each other a huge number of times.
  repository.objects.budget.spendEntries(entries.size, prefix.length);
  for (const [path, { mode, oid: child, type }] of entries) {
    if (type === 'tree') await collect(repository, child, `${prefix}${path}/`, depth + 1, files);
    else files.set(prefix + path, { oid: child, mode: Number.parseInt(mode, 8) });
  }
}

/** The file at one path of a tree; `undefined` when there is none. */
export async function fileAt(repository: Repository, tree: string, path: string): Promise<TreeFile | undefined> {
  const names = path.split('/');
  let at: TreeEntry | undefined = { oid: tree, mode: '040000', type: 'tree' };
  for (const name of names) {
    if (at?.type !== 'tree') return undefined;
    at = (await entriesOf(repository, at.oid)).get(name);
  }
  return at?.type === 'blob' ? fileOf(at) : undefined;
}

/** The folder of the app in a commit; `null` when there is none. */
export async function treeOf(repository: Repository, commit: string | null): Promise<string | null> {
  return commit === null ? null : treeIn(repository, await readCommit(repository, commit));
}

/** The folder of the app in a commit that was already read. */
export async function treeIn(repository: Repository, { tree }: { tree: string }): Promise<string | null> {
  let at = tree;
  for (const name of repository.prefix.split('/').slice(0, -1)) {
    const entry = (await entriesOf(repository, at)).get(name);
    if (entry?.type !== 'tree') return null;
    at = entry.oid;
  }
  return at;
}

/** The paths that differ between two trees, with the file of each. Equal folders are not read. */
export async function compareTrees(
  repository: Repository,
  before: string | null,
  after: string | null,
): Promise<Map<string, { before: TreeFile | undefined; after: TreeFile | undefined }>> {
  const changes = new Map<string, { before: TreeFile | undefined; after: TreeFile | undefined }>();
  await compare(repository, before, after, '', 0, changes);
  return changes;
}

async function compare(
  repository: Repository,
  before: string | null,
  after: string | null,
  prefix: string,
  depth: number,
  changes: Map<string, { before: TreeFile | undefined; after: TreeFile | undefined }>,
): Promise<void> {
  if (before === after) return;
  if (depth > maxDepth)
    throw new AgentError('limit_exceeded', `Folders of this version are nested over ${maxDepth} deep.`);
  const [old, now] = await Promise.all([entriesOf(repository, before), entriesOf(repository, after)]);
  repository.objects.budget.spendEntries(old.size + now.size, prefix.length);
  for (const name of new Set([...old.keys(), ...now.keys()])) {
    const [was, is] = [old.get(name), now.get(name)];
    if (was?.oid === is?.oid && was?.mode === is?.mode) continue;
    const path = prefix + name;
    const [oldTree, newTree] = [was?.type === 'tree' ? was.oid : null, is?.type === 'tree' ? is.oid : null];
    await compare(repository, oldTree, newTree, `${path}/`, depth + 1, changes);
    const [oldFile, newFile] = [fileOf(was), fileOf(is)];
    if (oldFile !== undefined || newFile !== undefined) changes.set(path, { before: oldFile, after: newFile });
  }
}

/** A cache of trees. Trees never change, and most are the same from one commit to the next. */
const maxKeptEntries = 500_000;
const treesKey = Symbol('trees');

interface KeptTrees {
  trees: Map<string, ReadonlyMap<string, TreeEntry>>;
  entries: number;
}

function keptTrees({ base }: Repository): KeptTrees {
  const cache = base.cache as { [treesKey]?: KeptTrees };
  if ((cache[treesKey]?.entries ?? 0) > maxKeptEntries) delete cache[treesKey];
  return (cache[treesKey] ??= { trees: new Map(), entries: 0 });
}

async function entriesOf(repository: Repository, oid: string | null): Promise<ReadonlyMap<string, TreeEntry>> {
  if (oid === null || oid === emptyTree) return new Map();
  const kept = keptTrees(repository);
  const known = kept.trees.get(oid);
  if (known !== undefined) return known;
  const entries = parseTree(await repository.objects.read(oid, 'tree'));
  kept.trees.set(oid, entries);
  kept.entries += entries.size;
  return entries;
}

function fileOf(entry: TreeEntry | undefined): TreeFile | undefined {
  if (entry === undefined || entry.type === 'tree') return undefined;
  return { oid: entry.oid, mode: Number.parseInt(entry.mode, 8) };
}

/** Writes a tree with changes at some paths. @returns its id, or `null` when it would be empty */
export async function editTree(
  repository: Repository,
  tree: string | null,
  changes: ReadonlyMap<string, TreeFile | null>,
): Promise<string | null> {
  const entries = new Map(await entriesOf(repository, tree));
  const below = new Map<string, Map<string, TreeFile | null>>();
  for (const [path, file] of changes) {
    const slash = path.indexOf('/');
    if (slash !== -1) {
      const name = path.slice(0, slash);
      const inner = below.get(name) ?? new Map<string, TreeFile | null>();
      below.set(name, inner.set(path.slice(slash + 1), file));
    } else if (file === null) {
      if (entries.get(path)?.type !== 'tree') entries.delete(path);
    } else {
      const type = file.mode === 0o160000 ? 'commit' : 'blob';
      entries.set(path, { oid: file.oid, mode: file.mode.toString(8), type });
    }
  }
  for (const [name, inner] of below) {
    const old = entries.get(name);
    const isOnlyDeletions = [...inner.values()].every((file) => file === null);
    if (old?.type !== 'tree' && isOnlyDeletions) continue;
    const oid = await editTree(repository, old?.type === 'tree' ? old.oid : null, inner);
    if (oid === null) entries.delete(name);
    else entries.set(name, { oid, mode: '040000', type: 'tree' });
  }
  if (entries.size === 0) return null;
  return git.writeTree({ ...repository.base, tree: [...entries].map(([path, entry]) => ({ path, ...entry })) });
}
