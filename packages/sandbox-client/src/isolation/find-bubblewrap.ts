import { dirname } from 'node:path';
import { lookForBubblewrap, type Bubblewrap } from './bubblewrap-executable.ts';
import { bubblewrapCommand } from './bubblewrap.ts';
import type { Jail, NoJail } from './jail.ts';
import { librariesOf } from './libraries.ts';
import { engineAddons, ownFiles } from './own-files.ts';
import { stillInPlace } from './roots.ts';
import { systemCallFilter } from './system-calls.ts';

interface Found extends Bubblewrap {
  /** Node, the dynamic linker and the libraries, by the paths at which programs open them. */
  node: string[];
}

/** A jail that was found is kept. A failure is not kept, because bubblewrap may be installed later. */
let found: Promise<Found | NoJail> | undefined;

/**
 * A jail by bubblewrap around `roots`, or what is missing for one. Only using it shows whether the system lets
 * bubblewrap make namespaces.
 *
 * The search runs once in the life of the host. It starts two processes in parallel and takes about 3 ms.
 */
export async function findBubblewrap(roots: readonly string[]): Promise<Jail | NoJail> {
  const looking = (found ??= look());
  const facts = await looking;
  if ('reason' in facts) {
    if (found === looking) found = undefined;
    return facts;
  }
  const own = [...facts.node, ...ownFiles()];
  const libraryFolders = [...new Set(facts.node.slice(1).map((file) => dirname(file)))];
  const filter = systemCallFilter(process.arch);
  const around = { own, libraryFolders, filtered: filter !== undefined };
  return {
    by: `bubblewrap ${facts.version}`,
    monitored: true,
    filter,
    wrap(command, cwd) {
      return [...bubblewrapCommand({ ...facts, ...around, roots: stillInPlace(roots), cwd }), ...command];
    },
  };
}

async function look(): Promise<Found | NoJail> {
  const libraries = nodeLibraries().catch((error: unknown) => error as Error);
  const executable = await lookForBubblewrap();
  if ('reason' in executable) return executable;
  const paths = await libraries;
  if (paths instanceof Error) return { reason: `Could not look at Node: ${paths.message}` };
  // Electron's data files and libraries are beside its executable.
  const own = process.versions['electron'] === undefined ? process.execPath : dirname(process.execPath);
  return { ...executable, node: [own, ...paths] };
}

async function nodeLibraries(): Promise<string[]> {
  return await librariesOf(process.execPath, engineAddons());
}
