import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import {
  bubblewrapCommand,
  librariesOf,
  lookForBubblewrap,
  systemCallFilter,
  type NoJail,
} from '@mustard-sandbox/client/isolation';
import { hiddenPaths } from './hidden-paths.ts';
import { dataKb, heapMb, maxProcesses } from './limits.ts';

/** How to start the checker of an app. */
export interface CheckerCommand {
  command: string[];
  /** What the jail reads before it begins. */
  filter: Buffer | undefined;
  jailed: boolean;
}

/** By its name in the package: this file may run as it is written, the checker only as it is built. */
function checkerFile(): string {
  return createRequire(import.meta.url).resolve('#problem-checker');
}

/**
 * In a jail that holds Node, the checker and the app without its secrets, read-only; without network, and without any folder to write to.
 *
 * @param app absolute, free of links
 */
export async function jailedChecker(app: string): Promise<CheckerCommand | NoJail> {
  if (process.platform !== 'linux') return { reason: `there is no jail for ${process.platform}, only for Linux.` };
  const bubblewrap = await lookForBubblewrap();
  if ('reason' in bubblewrap) return bubblewrap;
  const checker = checkerFile();
  // The checker also imports its other parts, and needs the manifest, which says that they are ES modules.
  const dist = join(dirname(checker), '../../..');
  const own = [dirname(checker), join(dist, 'server/context/overlay.js'), join(dist, '../package.json')];
  const programs = [process.execPath, '/bin/sh'];
  let libraries: string[];
  try {
    libraries = (await Promise.all(programs.map((program) => librariesOf(program)))).flat();
  } catch (error) {
    return { reason: `Node could not be looked at: ${(error as Error).message}` };
  }
  const libraryFolders = [...new Set(libraries.map((library) => dirname(library)))];
  const hidden = await hiddenPaths(app);
  if ('reason' in hidden) return hidden;
  const filter = systemCallFilter(process.arch, { processes: true });
  const filtered = filter !== undefined;
  const everything = [...new Set([...programs, ...libraries, ...own])];
  const facts = { ...bubblewrap, roots: [app], hidden, own: everything, libraryFolders, filtered, cwd: app };
  const jail = bubblewrapCommand(facts);
  return { command: [...jail, ...limited(), process.execPath, ...heap, checker], filter, jailed: true };
}

/** For a person who allowed it. Node refuses what a compiler has no need of; one that needs processes has all of the person's rights. */
export function unjailedChecker(app: string, needsProcesses: boolean): CheckerCommand {
  const checker = checkerFile();
  const node = [
    process.execPath,
    ...heap,
    ...(needsProcesses ? [] : permissions([app, join(dirname(checker), '../../../..')])),
  ];
  return {
    command: [...(process.platform === 'win32' ? [] : limited()), ...node, checker],
    filter: undefined,
    jailed: false,
  };
}

const heap = [`--max-old-space-size=${heapMb}`];

/** To read, and nothing else: no writing, no processes, no addons. */
function permissions(readable: readonly string[]): string[] {
  const stable = process.allowedNodeEnvironmentFlags.has('--permission');
  return [
    ...(stable ? ['--permission'] : ['--experimental-permission', '--no-warnings']),
    ...readable.map((folder) => `--allow-fs-read=${folder}/*`),
  ];
}

/** A shell sets what the kernel keeps, and becomes the program: no file is written, and memory has a bound. */
function limited(): string[] {
  // Shells name the number of processes by one of two letters.
  const processes = `ulimit -u ${maxProcesses} 2>/dev/null || ulimit -p ${maxProcesses} 2>/dev/null`;
  const limits = `ulimit -c 0; ulimit -f 0; ulimit -d ${dataKb} 2>/dev/null; exec "$@"`;
  return ['/bin/sh', '-c', `${processes}; ${limits}`, 'sh'];
}
