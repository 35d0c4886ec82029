import { execFile } from 'node:child_process';
import { access, constants } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { promisify } from 'node:util';
import { bubblewrapCommand } from './bubblewrap.ts';
import type { Jail, NoJail } from './jail.ts';
import { engineAddons, ownFiles } from './own-files.ts';
import { stillInPlace } from './roots.ts';
import { systemCallFilter } from './system-calls.ts';

const run = promisify(execFile);

/** Not the host's PATH: that may hold folders of the very project that the agent works on. */
const places = ['/usr/bin', '/bin', '/usr/local/bin', '/run/wrappers/bin', '/run/current-system/sw/bin'];
const probeTimeoutMs = 5_000;

interface Found {
  path: string;
  version: string;
  /** Node, the dynamic linker and the libraries, by the paths at which they are looked for. */
  node: string[];
}

/** What is there, once it was found; what is not may come. */
let found: Promise<Found | NoJail> | undefined;

/**
 * A jail by bubblewrap around `roots`, or what is missing. Whether the system lets bubblewrap do its work only its
 * first use shows.
 *
 * Finds it once in the life of the host, and in parallel: two processes that end after some 3 ms.
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
  const path = await firstExecutable(places.map((place) => `${place}/bwrap`));
  if (path === undefined) {
    const how = 'Install it: `apt install bubblewrap`, `dnf install bubblewrap` or `pacman -S bubblewrap`';
    return { reason: `bubblewrap (bwrap) is not installed in ${places.join(', ')}. ${how}.` };
  }
  try {
    const [{ stdout }, libraries] = await Promise.all([
      run(path, ['--version'], { env: {}, timeout: probeTimeoutMs }),
      librariesOf(process.execPath),
    ]);
    // Electron has data files and libraries of its own beside it.
    const own = process.versions['electron'] === undefined ? process.execPath : dirname(process.execPath);
    return { path, version: /[\d.]+/.exec(stdout)?.[0] ?? 'unknown', node: [own, ...libraries] };
  } catch (error) {
    return { reason: `${path} and Node could not be looked at: ${(error as Error).message}` };
  }
}

async function firstExecutable(files: string[]): Promise<string | undefined> {
  for (const file of files) {
    const executable = await access(file, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (executable) return file;
  }
  return undefined;
}

/**
 * What the dynamic linker loads for `executable` and the engine, by the paths at which it finds them: it lists them
 * itself, without starting the program. `ldd`, a shell script around the same, takes five times as long.
 */
async function librariesOf(executable: string): Promise<string[]> {
  const addons = engineAddons();
  const env = {
    LD_TRACE_LOADED_OBJECTS: '1',
    // The folder apart from the name: the linker takes a space in LD_PRELOAD for the end of a name.
    LD_LIBRARY_PATH: addons.map((addon) => dirname(addon)).join(':'),
    LD_PRELOAD: addons.map((addon) => basename(addon)).join(':'),
  };
  // A static executable has no linker to stop it, and would wait for a program to run.
  const { stdout } = await run(executable, ['--version'], { env, timeout: probeTimeoutMs });
  const paths = [...stdout.matchAll(/^\s+(?:.+ => )?(\/.+) \(0x[0-9a-f]+\)$/gm)].map(([, path]) => path as string);
  return paths.filter((path) => !addons.includes(path));
}
