import { execFile } from 'node:child_process';
import { basename, dirname } from 'node:path';
import { promisify } from 'node:util';
import { lookForBubblewrap, probeTimeoutMs, type Bubblewrap } from './bubblewrap-executable.ts';
import { bubblewrapCommand } from './bubblewrap.ts';
import type { Jail, NoJail } from './jail.ts';
import { engineAddons, ownFiles } from './own-files.ts';
import { stillInPlace } from './roots.ts';
import { systemCallFilter } from './system-calls.ts';

const run = promisify(execFile);

interface Found extends Bubblewrap {
  /** Node, the dynamic linker and the libraries, by the paths at which programs open them. */
  node: string[];
}

/** Kept once it was found. A failure is not kept, because bubblewrap may be installed later. */
let found: Promise<Found | NoJail> | undefined;

/**
 * A jail by bubblewrap around `roots`, or what is missing for one. Only the first use shows whether the system lets
 * bubblewrap make namespaces.
 *
 * The search runs once in the life of the host: two processes in parallel, about 3 ms.
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
  const libraries = librariesOf(process.execPath).catch((error: unknown) => error as Error);
  const executable = await lookForBubblewrap();
  if ('reason' in executable) return executable;
  const paths = await libraries;
  if (paths instanceof Error) return { reason: `Node could not be looked at: ${paths.message}` };
  // Electron's data files and libraries are beside its executable.
  const own = process.versions['electron'] === undefined ? process.execPath : dirname(process.execPath);
  return { ...executable, node: [own, ...paths] };
}

/**
 * What the dynamic linker loads for `executable` and the engine, by the paths at which it finds them: it lists them
 * itself, without starting the program. `ldd`, a shell script around the same, takes five times as long.
 */
async function librariesOf(executable: string): Promise<string[]> {
  const addons = engineAddons();
  const env = {
    LD_TRACE_LOADED_OBJECTS: '1',
    // The folder is given apart from the name, because in LD_PRELOAD a space ends a name.
    LD_LIBRARY_PATH: addons.map((addon) => dirname(addon)).join(':'),
    LD_PRELOAD: addons.map((addon) => basename(addon)).join(':'),
  };
  // A static executable has no linker to stop it, and would wait for a program to run.
  const { stdout } = await run(executable, ['--version'], { env, timeout: probeTimeoutMs });
  const paths = [...stdout.matchAll(/^\s+(?:.+ => )?(\/.+) \(0x[0-9a-f]+\)$/gm)].map(([, path]) => path as string);
  return paths.filter((path) => !addons.includes(path));
}
