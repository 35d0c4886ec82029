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
  /** The filter of system calls, which the jail reads before it starts. */
  filter: Buffer | undefined;
  jailed: boolean;
}

/** The name in the package leads to the built checker. This file may run from its source, but the checker cannot. */
function checkerFile(): string {
  return createRequire(import.meta.url).resolve('#problem-checker');
}

/**
 * Starts the checker in a jail with Node, the checker and the app without its secrets, all read-only. The jail has no network
 * and no folder to write to.
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
    return { reason: `the libraries of Node could not be listed: ${(error as Error).message}` };
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

/**
 * Starts the checker without a jail, for a person who allowed it. Node refuses what a compiler does not need. A compiler that
 * needs processes has all of the person's rights.
 */
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

/** Options of Node that allow reading and nothing else: no writing, no processes, no addons. */
function permissions(readable: readonly string[]): string[] {
  const stable = process.allowedNodeEnvironmentFlags.has('--permission');
  return [
    ...(stable ? ['--permission'] : ['--experimental-permission', '--no-warnings']),
    ...readable.map((folder) => `--allow-fs-read=${folder}/*`),
  ];
}

/** A shell sets limits of the kernel and then becomes the program. They forbid writing files, and bound the memory. */
function limited(): string[] {
  // Some shells take the number of processes as -u, others as -p.
  const processes = `ulimit -u ${maxProcesses} 2>/dev/null || ulimit -p ${maxProcesses} 2>/dev/null`;
  const limits = `ulimit -c 0; ulimit -f 0; ulimit -d ${dataKb} 2>/dev/null; exec "$@"`;
  return ['/bin/sh', '-c', `${processes}; ${limits}`, 'sh'];
}
