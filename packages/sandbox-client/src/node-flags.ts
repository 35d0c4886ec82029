import { ownFiles } from './isolation/own-files.ts';

/**
 * A pattern that backtracks too much continues in V8's linear engine: `/^(a+)+$/` on forty letters and one other takes
 * 0.8 ms instead of minutes. That engine lacks look-around and backreferences; patterns with these are left to the
 * deadline.
 */
const linearPatterns = [
  '--enable-experimental-regexp-engine-on-excessive-backtracks',
  '--regexp-backtracks-before-fallback=50000',
];

/**
 * QuickJS checks the depth of its own stack, and V8 that of the process. The stack of V8 must be the larger one, so
 * that a script gets an error that it can catch. Windows gives the main thread a stack of a fixed size.
 */
const stack = process.platform === 'win32' ? [] : ['--stack-size=3900'];

/**
 * Flags for Node that take from the sidecar what it does not use: `__proto__` and code from strings. Where Node has its
 * permission model without a warning (22.13 and 23.5 on), they also take writing files, child processes, and reading
 * anything but its own files and `roots`. The permission model binds only JavaScript and not native code: it is a
 * second guard behind the path policy, not behind the engine.
 *
 * The flags of V8 would cost a fifth of a start, so the daemon resets them while it starts; its v8-flags.ts names them
 * again. The other flags make neither a start nor a run slower. `--jitless` and `--frozen-intrinsics` do slow a start.
 *
 * @param roots link-free; `undefined` when a scope may name anything
 */
export function nodeFlags(roots: readonly string[] | undefined): string[] {
  // For memory that large runs leave behind: see the daemon's memory.ts.
  const flags = [
    '--disable-proto=delete',
    '--disallow-code-generation-from-strings',
    '--expose-gc',
    ...linearPatterns,
    ...stack,
  ];
  const isElectron = process.versions['electron'] !== undefined;
  if (isElectron || !process.allowedNodeEnvironmentFlags.has('--permission')) return flags;
  // The built-ins ask the kernel in /proc/self which file a descriptor refers to.
  const readable = roots === undefined ? ['*'] : [...roots, ...ownFiles(), '/proc/self'].flatMap(withContents);
  return [
    ...flags,
    ...['--permission', '--allow-addons', '--allow-worker', '--disable-warning=SecurityWarning'],
    ...readable.map((path) => `--allow-fs-read=${path}`),
    // Writing this file resets the peak of resident memory: see the daemon's memory.ts.
    '--allow-fs-write=/proc/self/clear_refs',
  ];
}

/** Node treats a path as a folder only if it is a folder when Node starts. */
function withContents(path: string): string[] {
  return [path, `${path}/*`];
}
