import { ownFiles } from './isolation/own-files.ts';

/**
 * A pattern that backtracks too much goes on in V8's linear engine: `/^(a+)+$/` on forty letters and another takes 0.8 ms
 * instead of minutes. What that engine lacks, look-around and backreferences, is left to the deadline.
 */
const linearPatterns = [
  '--enable-experimental-regexp-engine-on-excessive-backtracks',
  '--regexp-backtracks-before-fallback=50000',
];

/**
 * QuickJS checks how deep its own stack is, and V8 that of the process: the second must be the larger one, for a script to
 * get an error that it can catch. Windows gives the main thread a stack of a fixed size.
 */
const stack = process.platform === 'win32' ? [] : ['--stack-size=3900'];

/**
 * Flags for Node that take from the sidecar what it does not use: `__proto__`, code from strings, and, where Node has
 * its permission model without a warning (22.13 and 23.5 on), writing files, child processes, and reading anything but
 * its own files and `roots`. The permission model binds JavaScript only, not native code: it stands behind the path
 * policy, not behind the engine.
 *
 * Those of V8 would cost a fifth of a start, so the daemon sets them back while it starts: its v8-flags.ts names them again.
 * The others show neither in a start nor in a run. `--jitless` and `--frozen-intrinsics` do, in the start.
 *
 * @param roots link-free; `undefined`: a scope may name anything
 */
export function nodeFlags(roots: readonly string[] | undefined): string[] {
  // For what large runs leave behind, see the daemon's memory.ts.
  const flags = [
    '--disable-proto=delete',
    '--disallow-code-generation-from-strings',
    '--expose-gc',
    ...linearPatterns,
    ...stack,
  ];
  const isElectron = process.versions['electron'] !== undefined;
  if (isElectron || !process.allowedNodeEnvironmentFlags.has('--permission')) return flags;
  // /proc/self: the built-ins ask the kernel there which file a descriptor refers to.
  const readable = roots === undefined ? ['*'] : [...roots, ...ownFiles(), '/proc/self'].flatMap(withContents);
  return [
    ...flags,
    ...['--permission', '--allow-addons', '--allow-worker', '--disable-warning=SecurityWarning'],
    ...readable.map((path) => `--allow-fs-read=${path}`),
    // Sets the peak of resident memory back, see the daemon's memory.ts.
    '--allow-fs-write=/proc/self/clear_refs',
  ];
}

/** Node treats a path as a folder only if it is a folder when Node starts. */
function withContents(path: string): string[] {
  return [path, `${path}/*`];
}
